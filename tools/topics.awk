# topics.awk - what `tilec help TOPIC` says, taken from pages of docs/; cmake/topics.cmake runs it
#
#     awk -v out=topics.h -f tools/topics.awk docs/*.md
#
# A line `<!-- topic: NAME[, NAME...]: SUMMARY -->` in front of a heading makes a topic of what is
# below it, up to the next heading of that level or above, the next topic, or `<!-- end of topic -->`.
# Below `<!-- entries -->` each heading `### NAME` is one on its own, by the name of an option or a
# function.  Written is TOPIC(names, summary, text) or ENTRY(..) for each, for src/help/topics.c, the
# text wrapped for a terminal.

BEGIN { WIDTH = 80; COLUMN = 26 }

function literal(s) {
    gsub(/\\/, "\\\\&", s)
    gsub(/"/, "\\\\&", s)
    return "\"" s "\\n\""
}

function line(s) {
    sub(/ +$/, "", s)
    print literal(s) > out
}

# Links become their text.
function plain(s,  n, before, word) {
    while (match(s, /\[[^]\[]+\]\([^)]*\)/)) {
        before = substr(s, 1, RSTART - 1)
        word = substr(s, RSTART + 1, RLENGTH - 1)
        n = RSTART + RLENGTH
        sub(/\].*/, "", word)
        s = before word substr(s, n)
    }
    return s
}

# Words, the first line after `head` and the others after `indent` spaces.
function wrap(head, indent, text,  words, n, i, s, pad) {
    pad = sprintf("%" indent "s", "")
    s = head
    n = split(text, words, " ")
    for (i = 1; i <= n; i++) {
        if (length(s) + 1 + length(words[i]) > WIDTH && s != head && s != pad) {
            line(s)
            s = pad
        }
        s = s (s == head || s == pad ? "" : " ") words[i]
    }
    line(s)
}

function flush_paragraph() {
    if (paragraph != "")
        wrap(bullet, length(bullet), plain(paragraph))
    paragraph = bullet = ""
}

# `| a | b | c |`: a in front, the others behind it or below.
function table_row(s,  cells, n, i, rest, head) {
    if (s ~ /^\|[-|: ]+$/)
        return
    gsub(/\\\|/, "\001", s)
    n = split(s, cells, /\|/)
    for (i = 3; i < n; i++)
        rest = rest (i > 3 ? ";" : "") cells[i]
    gsub(/\001/, "|", rest)
    head = plain(cells[2])
    gsub(/\001/, "|", head)
    gsub(/`/, "", head)
    sub(/^ +/, "", head)
    sub(/ +$/, "", head)
    if (length(head) > COLUMN - 4) {
        wrap("  ", 2, head)
        head = ""
    }
    wrap(sprintf("  %-" (COLUMN - 2) "s", head), COLUMN, plain(rest))
}

function end_topic() {
    if (!reading)
        return
    flush_paragraph()
    print ")" > out
    reading = 0
}

FNR == 1 { end_topic(); in_code = in_entries = 0 }

/^!\[/ { next } # a terminal has no pictures
/^<!-- end of topic -->/ { end_topic(); next }
/^<!-- entries -->/ { end_topic(); in_entries = 1; next }

/^<!-- topic: / {
    end_topic()
    s = $0
    sub(/^<!-- topic: /, "", s)
    sub(/ *-->.*/, "", s)
    name = summary = s
    sub(/:.*/, "", name)
    sub(/^[^:]*: */, "", summary)
    next
}

in_entries && /^### / {
    end_topic()
    name = substr($0, 5)
    print "ENTRY(\"" name "\", \"\"," > out
    reading = starts = 1
    blank = 0
    level = 3
    name = ""
    next
}

name != "" && /^#+ / {
    level = length($1)
    print "TOPIC(\"" name "\", \"" summary "\"," > out
    reading = 1
    name = ""
    starts = 1
    blank = 0
    next
}

!reading { next }

/^```/ { flush_paragraph(); in_code = !in_code; next }
in_code { line("    " $0); starts = 0; next }

/^#+ / {
    if (length($1) <= level) {
        end_topic()
        next
    }
    flush_paragraph()
    sub(/^#+ /, "")
    line("")
    line($0 ":")
    next
}

/^ *$/ {
    flush_paragraph()
    if (!starts)
        blank = 1
    in_table = 0
    next
}

{
    if (blank)
        line("")
    blank = 0
    starts = 0
}

/^\|/ {
    flush_paragraph()
    if (!in_table) { # its head
        in_table = 1
        next
    }
    table_row($0)
    next
}

/^    / && paragraph == "" { line($0); next }

/^(- |[0-9]+\. )/ {
    flush_paragraph()
    match($0, /^(- |[0-9]+\. )/)
    bullet = substr($0, 1, RLENGTH)
    paragraph = substr($0, RLENGTH + 1)
    next
}

{ sub(/^ +/, ""); paragraph = paragraph " " $0 }

END { end_topic(); print "" > out }
