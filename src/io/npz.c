/*
 * npz.c - several .npy files in one: a zip archive, as NumPy writes it
 *
 * Read by the archive's directory, which stands at its end, so the whole file is taken into memory;
 * members that are compressed (deflate) are unpacked on their way into the array.  Written as
 * numpy.savez does, stored, or on demand as numpy.savez_compressed does; each name with `.npy`
 * behind it.
 *
 * Places are checked before anything there is looked at, and the member's checksum behind it.
 */
#include "io.h"

#include <string.h>
#include <zlib.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_64 = 0x06064b50,
    LOCATOR_64 = 0x07064b50,
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END_64_SIZE = 56,
    LOCATOR_SIZE = 20,
    LONGEST_COMMENT = 65535,
    STORED = 0,
    DEFLATED = 8,
    VERSION = 20,        /* of the format, that a reader needs */
    DAY_ONE = 1 << 5 | 1 /* 1 January 1980: the same members make the same file */
};

/* --- reading --- */

typedef struct {
    Io *io;
    const unsigned char *bytes;
    size_t len;
} Archive;

typedef struct {
    const char *name; /* without `.npy` */
    int method;
    bool encrypted;
    uint32_t checksum;
    uint64_t packed, size, at; /* bytes in the file, bytes of the .npy, place of its local header */
} Member;
typedef VEC(Member) Members;

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t v = 0;

    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | at[i];
    return v;
}

/* So many bytes at a place of the file, or the end of the call. */
static const unsigned char *place(const Archive *z, uint64_t at, uint64_t n)
{
    if (at > z->len || n > z->len - at)
        io_refuse(z->io, "damaged .npz file: it points behind its end");
    return z->bytes + at;
}

static const unsigned char *record(const Archive *z, uint64_t at, uint64_t n, uint32_t mark)
{
    const unsigned char *r = place(z, at, n);

    if (number(r, 4) != mark)
        io_refuse(z->io, "damaged .npz file: a record of its directory is missing");
    return r;
}

/* The record that ends the archive; a comment may stand behind it. */
static uint64_t find_end(const Archive *z)
{
    for (uint64_t back = END_SIZE; back <= END_SIZE + LONGEST_COMMENT && back <= z->len; back++) {
        if (number(z->bytes + z->len - back, 4) == END)
            return z->len - back;
    }
    io_refuse(z->io, "not an .npz file, or cut off: its directory is missing");
}

/* Sizes and places beyond 32 bits stand in a field of their own, in this order. */
static void read_wide(const Archive *z, Member *m, const unsigned char *extra, uint64_t len)
{
    uint64_t *const wide[] = {&m->size, &m->packed, &m->at};

    while (len >= 4) {
        uint64_t id = number(extra, 2), n = number(extra + 2, 2), k = 0;

        if (n > len - 4)
            break;
        for (int i = 0; i < COUNT(wide) && id == 1; i++) {
            if (*wide[i] != UINT32_MAX)
                continue;
            if (k + 8 > n)
                io_refuse(z->io, "damaged .npz file: a size is missing");
            *wide[i] = number(extra + 4 + k, 8);
            k += 8;
        }
        extra += 4 + n;
        len -= 4 + n;
    }
}

/* A name without its `.npy`. */
static const char *member_name(Arena *a, const unsigned char *name, size_t n)
{
    if (n > 4 && memcmp(name + n - 4, ".npy", 4) == 0)
        n -= 4;
    return arena_strndup(a, (const char *)name, n);
}

/* The member whose record in the directory is at *at, which goes on to the next. */
static Member read_member(const Archive *z, uint64_t *at)
{
    const unsigned char *r = record(z, *at, CENTRAL_SIZE, CENTRAL);
    uint64_t name = number(r + 28, 2), extra = number(r + 30, 2), comment = number(r + 32, 2);
    Member m = {.method = (int)number(r + 10, 2),
                .encrypted = (r[8] & 1) != 0,
                .checksum = (uint32_t)number(r + 16, 4),
                .packed = number(r + 20, 4),
                .size = number(r + 24, 4),
                .at = number(r + 42, 4)};

    place(z, *at, CENTRAL_SIZE + name + extra + comment);
    m.name = member_name(z->io->arena, r + CENTRAL_SIZE, name);
    read_wide(z, &m, r + CENTRAL_SIZE + name, extra);
    *at += CENTRAL_SIZE + name + extra + comment;
    return m;
}

static Members read_directory(const Archive *z)
{
    uint64_t end = find_end(z), count, at;
    const unsigned char *r = z->bytes + end;
    Members all = {0};

    count = number(r + 10, 2);
    at = number(r + 16, 4);
    if ((count == UINT16_MAX || at == UINT32_MAX) && end >= LOCATOR_SIZE &&
        number(r - LOCATOR_SIZE, 4) == LOCATOR_64) {
        r = record(z, number(r - LOCATOR_SIZE + 8, 8), END_64_SIZE, END_64);
        count = number(r + 32, 8);
        at = number(r + 48, 8);
    }
    for (uint64_t i = 0; i < count; i++)
        vec_push(z->io->arena, &all, read_member(z, &at));
    return all;
}

static const char *list_names(Arena *a, const Members *all)
{
    enum { SHOWN = 20 };
    Text t = text_new(a);

    text_put(&t, "");
    for (int i = 0; i < all->len && i < SHOWN; i++)
        text_printf(&t, "%s%s", i ? ", " : "", all->at[i].name);
    if (all->len > SHOWN)
        text_printf(&t, " and %d more", all->len - SHOWN);
    return t.s;
}

static const Member *choose_member(Io *io, const Members *all)
{
    for (int i = 0; io->member && i < all->len; i++) {
        if (strcmp(all->at[i].name, io->member) == 0)
            return &all->at[i];
    }
    if (all->len == 0)
        io_refuse(io, "there are no arrays in it");
    if (io->member)
        io_refuse(io, "there is no array '%s' in it; it has %s", io->member,
                  list_names(io->arena, all));
    if (all->len > 1)
        io_refuse(io, "which of its arrays? Write @FILE.npz:NAME; it has %s",
                  list_names(io->arena, all));
    return &all->at[0];
}

/* What is unpacked on its way. */
typedef struct {
    z_stream z;
    uLong checksum;
    bool ended;
} Inflater;

static void release(void *held)
{
    inflateEnd(&((Inflater *)held)->z);
}

static size_t inflate_more(Io *io, void *to, size_t n)
{
    enum { STEP = 1 << 30 }; /* zlib counts in 32 bits */
    Inflater *f = io->held;
    size_t got = 0;

    while (got < n && !f->ended) {
        size_t step = MIN(n - got, STEP);
        int status;

        f->z.next_out = (Bytef *)to + got;
        f->z.avail_out = (uInt)step;
        status = inflate(&f->z, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR)
            io_no_memory(io);
        if (status != Z_OK && status != Z_STREAM_END)
            io_refuse(io, "damaged .npz file: its compressed data are wrong");
        step -= f->z.avail_out;
        f->checksum = crc32_z(f->checksum, (const Bytef *)to + got, step);
        f->ended = status == Z_STREAM_END;
        got += step;
    }
    return got;
}

static void check_checksum(Io *io, uint32_t got, uint32_t wanted)
{
    if (got != wanted)
        io_refuse(io, "damaged .npz file: the checksum of its member is wrong");
}

static void read_deflated(Io *io, const Member *m, const unsigned char *data)
{
    Inflater *f = NEW(io->arena, Inflater);
    char rest;

    io_check_unpacked(io, m->size, m->packed);
    if (m->packed > UINT32_MAX)
        io_refuse(io, "its compressed member has more than 4 GiB");
    f->z.next_in = (Bytef *)data;
    f->z.avail_in = (uInt)m->packed;
    if (inflateInit2(&f->z, -MAX_WBITS) != Z_OK)
        io_no_memory(io);
    io->held = f;
    io->release = release;
    io->in = (IoInput){.more = inflate_more, .left = m->size, .fd = io->in.fd};
    npy_read(io);
    if (io_get(io, &rest, 1) != 0 || !f->ended)
        io_refuse(io, "damaged .npz file: its member is longer than its array");
    check_checksum(io, (uint32_t)f->checksum, m->checksum);
}

static void read_stored(Io *io, const Member *m, const unsigned char *data)
{
    check_checksum(io, (uint32_t)crc32_z(0, data, m->packed), m->checksum);
    io->in = (IoInput){.at = data, .end = data + m->packed, .left = m->packed, .fd = io->in.fd};
    npy_read(io);
}

void npz_read(Io *io)
{
    Archive z = {.io = io};
    Members all;
    const Member *m;
    const unsigned char *local, *data;

    io_get_all(io);
    z.bytes = io->in.at;
    z.len = (size_t)(io->in.end - io->in.at);
    all = read_directory(&z);
    m = choose_member(io, &all);
    if (m->encrypted || (m->method != STORED && m->method != DEFLATED))
        io_refuse(io, "its member '%s' is encrypted, or compressed in another way than by deflate",
                  m->name);
    local = record(&z, m->at, LOCAL_SIZE, LOCAL);
    data = place(&z, m->at + LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2), m->packed);
    if (m->method == DEFLATED)
        read_deflated(io, m, data);
    else
        read_stored(io, m, data);
}

/* --- writing --- */

static void put_number(Io *io, uint64_t v, int bytes)
{
    unsigned char b[8];

    for (int i = 0; i < bytes; i++)
        b[i] = (unsigned char)(v >> 8 * i);
    io_put(io, b, (size_t)bytes);
}

/* What the local header and the directory say of a member alike, from the version needed on. */
static void put_member(Io *io, const Member *m)
{
    put_number(io, VERSION, 2);
    put_number(io, 0, 2);
    put_number(io, (uint64_t)m->method, 2);
    put_number(io, 0, 2);
    put_number(io, DAY_ONE, 2);
    put_number(io, m->checksum, 4);
    put_number(io, m->packed, 4);
    put_number(io, m->size, 4);
    put_number(io, strlen(m->name) + 4, 2);
    put_number(io, 0, 2);
}

static void put_name(Io *io, const Member *m)
{
    io_put_text(io, m->name);
    io_put_text(io, ".npy");
}

/* Replace the bytes of a member, from `at` to the end of what is written, by compressed ones, if
 * these are fewer. */
static void pack(Io *io, Member *m, size_t at)
{
    size_t room = compressBound(m->size);
    Bytef *packed = (Bytef *)NEW_N(io->arena, char, room);
    z_stream z = {.next_in = (Bytef *)io->out + at,
                  .avail_in = (uInt)m->size,
                  .next_out = packed,
                  .avail_out = (uInt)MIN(room, m->size)};

    if (deflateInit2(&z, io->options.npz_level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        io_no_memory(io);
    bool is_smaller = deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    if (!is_smaller)
        return;
    m->method = DEFLATED;
    m->packed = z.total_out;
    memcpy(io->out + at, packed, m->packed);
    io->out_len = at + m->packed;
}

/* Its header, and itself; the checksum is filled in when the elements are there. */
static Member put_local(Io *io, const tilec_io_member *from)
{
    Member m = {.name = from->name, .at = io->out_len};
    size_t header = LOCAL_SIZE + strlen(m.name) + 4, end;

    io_put_room(io, header);
    npy_write(io, &from->tensor);
    end = io->out_len;
    m.size = m.packed = end - m.at - header;
    if (end > UINT32_MAX)
        io_refuse(io, "an .npz is written with up to 4 GiB; .npy holds more");
    m.checksum = (uint32_t)crc32_z(0, (const Bytef *)io->out + m.at + header, m.size);
    if (io->options.npz_level > 0)
        pack(io, &m, m.at + header);
    end = io->out_len;
    io->out_len = m.at;
    put_number(io, LOCAL, 4);
    put_member(io, &m);
    put_name(io, &m);
    io->out_len = end;
    return m;
}

static void put_central(Io *io, const Member *m)
{
    put_number(io, CENTRAL, 4);
    put_number(io, VERSION, 2);
    put_member(io, m);
    put_number(io, 0, 2 + 2 + 2);
    put_number(io, 0, 4);
    put_number(io, m->at, 4);
    put_name(io, m);
}

/* Would a program that unpacks the archive write outside of its folder? */
static bool leads_out(const char *name)
{
    bool climbs = false;

    for (const char *part = name; part && !climbs; part = strchr(part, '/')) {
        part += *part == '/';
        climbs = strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/');
    }
    return name[0] == '/' || climbs;
}

static void check_names(Io *io, const tilec_io_member *members, int n)
{
    for (int i = 0; i < n; i++) {
        size_t len = members[i].name ? strlen(members[i].name) : 0;

        if (len == 0 || len > UINT16_MAX - 4)
            io_refuse(io, "a member has no name, or too long a one");
        if (leads_out(members[i].name))
            io_refuse(io, "the member '%s' would be unpacked outside of a folder", members[i].name);
        for (int k = 0; k < i; k++) {
            if (strcmp(members[i].name, members[k].name) == 0)
                io_refuse(io, "two members are called '%s'", members[i].name);
        }
    }
    if (n > UINT16_MAX - 1)
        io_refuse(io, "an .npz is written with up to 65534 members");
}

void npz_write(Io *io, const tilec_io_member *members, int n)
{
    Member *all = NEW_N(io->arena, Member, n + 1);
    size_t at, end;

    check_names(io, members, n);
    for (int i = 0; i < n; i++)
        all[i] = put_local(io, &members[i]);
    at = io->out_len;
    for (int i = 0; i < n; i++)
        put_central(io, &all[i]);
    end = io->out_len;
    put_number(io, END, 4);
    put_number(io, 0, 4);
    put_number(io, (uint64_t)n, 2);
    put_number(io, (uint64_t)n, 2);
    put_number(io, end - at, 4);
    put_number(io, at, 4);
    put_number(io, 0, 2);
}
