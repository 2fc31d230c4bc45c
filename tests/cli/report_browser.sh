#!/bin/sh
# report_browser.sh TILEC SOURCE - a page of `tilec report` in a browser without a screen, where there is one
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
python=$("$source/tools/python.sh") || exit 1
TILEC_CACHE_DIR=$folder/cache
export TILEC_CACHE_DIR
for browser in chromium chromium-browser google-chrome none; do
    command -v $browser >/dev/null && break
done
if [ $browser = none ]; then
    echo "skipped: there is no browser"
    exit 0
fi

# Keys and clicks, and in the page's title what came of them.
cat >drive.js <<'END'
const said = [], check = (what, good) => { if (!good) said.push(what); };
const first = document.querySelector('.explorer'), versions = document.querySelectorAll('.explorer');
const $ = q => first.querySelector(q), all = q => [...first.querySelectorAll(q)];
const everywhere = q => [...versions].every(e => e.querySelector(q));
const key = (at, k) => at.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true }));
const pins = () => all('.pinned').length, shown = () => all('.stage:not([hidden])').length;

const tabs = all('[role=tab]');
check('tabs', tabs.length > 3 && shown() === 1 && tabs[0].getAttribute('aria-selected') === 'true');
tabs[0].focus();
key(tabs[0], 'ArrowRight');
check('next tab', tabs[1].getAttribute('aria-selected') === 'true' && document.activeElement === tabs[1] && shown() === 1);
key(tabs[1], 'End');
check('last tab', !all('.stage').at(-1).hidden);
const row = all('tr[data-l]')[0];
row.focus();
key(row, 'ArrowDown');
check('next line', document.activeElement === all('tr[data-l]')[1]);
check('lit', all('.lit').length > 0);
key(document.activeElement, 'End');
key(document.activeElement, 'Enter');
check('pinned on both sides', everywhere('tr.pinned') && everywhere('.lines .pinned'));
key(document.activeElement, 'Escape');
check('let go', pins() === 0);
const line = $('.stage:not([hidden]) .lines [data-l]');
line.click();
check('click', line.classList.contains('pinned') && $('tr.pinned'));
line.click();
check('second click', pins() === 0);
const lines = all('.stage:not([hidden]) .lines [data-l]'), box = lines[0].closest('.lines');
box.focus();
key(box, 'ArrowDown');
check('first line of a stage', document.activeElement === lines[0] && lines[0].classList.contains('lit'));
key(lines[0], 'ArrowDown');
key(lines[1], 'Enter');
check('pinned from a stage', document.activeElement === lines[1] && lines[1].classList.contains('pinned') && $('tr.pinned'));
box.focus();
key(box, 'ArrowDown');
check('to what is pinned', document.activeElement.classList.contains('pinned'));
key(document.activeElement, 'Escape');
check('let go from a stage', pins() === 0);
const unnamed = [...document.querySelectorAll('button, input, summary, a, [tabindex]')].filter(e => !e.ariaLabel && (e.matches('tr, .lines, pre') || !e.textContent.trim()));
check('names', !unnamed.length);
const cut = [...document.querySelectorAll('svg text')].filter(t => {
    const box = t.getBoundingClientRect(), svg = t.closest('svg').getBoundingClientRect();
    return box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1;
});
check('texts of figures: ' + cut.map(t => t.textContent), !cut.length);
const heat = all('.heat');
heat.at(-1).click();
check('columns', heat.at(-1).getAttribute('aria-pressed') === 'true' && heat[0].getAttribute('aria-pressed') === 'false');
const v0 = document.querySelector('.version'), stepper = v0.querySelector('.stepper'), slider = stepper.querySelector('input');
const said_there = () => stepper.querySelector('output').textContent;
const drawn = name => [...v0.querySelectorAll(`.accesses .cells .cell-${name}`)].filter(p => getComputedStyle(p).display !== 'none')
    .map(p => p.getAttribute('d')).join('');
const to = n => { slider.value = n; slider.dispatchEvent(new Event('input')); };
const whole = drawn('written');
check('stepper', !stepper.hidden && +slider.max === 66 && +slider.value === 66 && whole);
to(1);
const legend = () => [...v0.querySelectorAll('.legend span')].filter(s => s.checkVisibility()).map(s => s.textContent).join();
check('legend', legend() === 'nobody,one program reads,nobody');
check('first access', said_there() === '1 of 66: program (0, 0, 0), line 10, reads x' && drawn('now') === drawn('read') && !drawn('written'));
check('its line', $('tr.lit th').textContent === '10');
to(65); /* a cell has elements of both programs, each of one alone */
check('several elements in a cell', !drawn('reread') && drawn('read') && drawn('written') && drawn('now'));
to(0);
check('before the first', said_there() === 'nothing has been read or written yet' && !drawn('now') && !drawn('read') && drawn('none'));
key(slider, 'PageDown');
check('a program', +slider.value === 33 && said_there().endsWith('line 11, writes out') && drawn('now') === drawn('written') && drawn('written') !== whole);
key(slider, 'PageDown');
check('all programs', +slider.value === 66 && drawn('written') === whole && !drawn('now'));
key(slider, 'PageUp');
check('back a program', +slider.value === 33);
const link = document.querySelector('.advice a');
if (link) { location.hash = link.getAttribute('href'); }
setTimeout(() => {
    check('advice', !link || $('tr.pinned').id === link.getAttribute('href').slice(1));
    check('wide', document.documentElement.scrollWidth <= innerWidth);
    document.title = 'driven: ' + (said.join(', ') || 'all is well');
}, 50);
END

cat >rows.py <<'END'
import triton
import triton.language as tl


@triton.jit
def rows(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for k in range(32):
        sums += tl.load(x + at * 32 + k, mask=at < n, other=0.0)
    tl.store(out + at, sums, mask=at < n)
END

# Text against what is behind it, as WCAG 2 has it: 4.5 for all that is not large.
cat >contrast.js <<'END'
const parts = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
const light = c => c.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const behind = e => {
    const color = parts(getComputedStyle(e).backgroundColor);
    return color[3] === 1 || !e.parentElement ? color.slice(0, 3) : over(color, behind(e.parentElement));
};
const faint = new Set(), spoken = n => n.nodeType === 3 && n.textContent.trim();
let texts = 0;
for (const e of document.querySelectorAll('body *:not(script):not(style)')) {
    if (![...e.childNodes].some(spoken) || !e.getClientRects().length)
        continue;
    const style = getComputedStyle(e), back = behind(e);
    const a = light(over(parts(e.closest('svg') ? style.fill : style.color), back)), b = light(back);
    texts++;
    if ((Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5)
        faint.add(e.textContent.trim().slice(0, 20));
}
const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
document.title = `${scheme}: ` + (texts < 50 ? 'no texts' : [...faint].join(', ') || 'all can be read');
END

legible() { # SCHEME OPTION
    sed '/^<\/body>/d; /^<\/html>/d' page.html >read.html
    { echo '<script>' && cat contrast.js && echo '</script></body></html>'; } >>read.html
    timeout 120 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" $2 \
        --virtual-time-budget=2000 --dump-dom "file://$folder/read.html" >out 2>err
    grep -q "<title>$1: all can be read</title>" out || wrong "$1: $(grep -o '<title>.*</title>' out | head -1)"
}

drive() { # WIDTH OPTION...
    width=$1
    shift
    expect 0 "" "" "$tilec" report rows.py --grid 2 --device sim x='rand(fp32,(200,32))' out='empty(fp32,200)' n=200 BLOCK=128 \
        -o page.html "$@"
    sed '/^<\/body>/d; /^<\/html>/d' page.html >driven.html
    { echo '<script>' && cat drive.js && echo '</script></body></html>'; } >>driven.html
    timeout 120 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --window-size="$width",900 \
        --virtual-time-budget=2000 --enable-logging=stderr --dump-dom "file://$folder/driven.html" >out 2>err ||
        { echo "skipped: $browser does not run here"; exit 0; }
    grep -q '<title>driven: all is well</title>' out || wrong "$(grep -o '<title>.*</title>' out)"
    ! grep -i 'CONSOLE' err || wrong "the browser complains"
}
drive 1500
legible light
legible dark --blink-settings=preferredColorScheme=0
drive 800
drive 1500 --against BLOCK=64,grid=4
"$python" -B "$source/tests/cli/report_keys.py" $browser "$folder/profile" page.html >problems 2>&1 ||
    wrong "by the keyboard: $(tail -n 1 problems)"
finish
