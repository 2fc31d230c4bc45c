/*
 * page.js - tabs of the stages, lines that are tied to each other, and accesses one by one
 *
 * An element with data-l is of the lines that it names; hovering lights all elements of its first
 * line, a click or Enter pins them and shows the first one in the other pane.  Nothing is drawn
 * here but what programs have done up to an access: without this file the page has all the same
 * text.
 */
'use strict';

const explorers = []; /* one a version */

/* What belongs to each key, of one version. */
function tie(explorer) {
    const of = new Map();
    for (const element of explorer.querySelectorAll('[data-l]')) {
        for (const key of element.dataset.l.split(' ')) {
            if (!of.has(key)) of.set(key, []);
            of.get(key).push(element);
        }
    }
    return of;
}

function first_key(element) {
    return element ? element.dataset.l.split(' ')[0] : null;
}

/* Scrolls nothing but the box that the element is in. */
function show_inside(box, element) {
    const at = element.getBoundingClientRect(), around = box.getBoundingClientRect();
    if (at.top > around.top + 30 && around.bottom > at.bottom) return;
    box.scrollTop += at.top - around.top - around.height / 3;
}

function make_explorer(explorer) {
    const of = tie(explorer);
    const [source, stages] = explorer.querySelectorAll('.pane');
    const own = { file: explorer.dataset.file, has: row => source.contains(row), light, pin };
    let lit = null, pinned = null;

    function mark(key, name, on) {
        for (const element of of.get(key) || []) element.classList.toggle(name, on);
    }
    function light(key) {
        if (key === lit) return;
        mark(lit, 'lit', false);
        mark(lit = key, 'lit', true);
    }
    function reveal(key, from) {
        const all = of.get(key) || [];
        const shown = stages.querySelector('.stage:not([hidden]) .lines');
        const row = all.find(e => source.contains(e));
        const line = shown && all.find(e => shown.contains(e) && first_key(e) === key) ||
            shown && all.find(e => shown.contains(e));
        if (row && from !== source) show_inside(source, row);
        if (line && from !== shown) show_inside(shown, line);
    }
    function pin(key, from) {
        mark(pinned, 'pinned', false);
        mark(pinned = key, 'pinned', true);
        if (pinned) reveal(pinned, from);
    }
    /* What one version is asked for, the other one shows too, where it is of the same file. */
    function both(act) {
        act(own);
        for (const e of explorers) if (e !== own && e.file === own.file) act(e);
    }
    explorer.addEventListener('mouseover', e => {
        const key = first_key(e.target.closest('[data-l]'));
        both(x => x.light(key));
    });
    explorer.addEventListener('mouseleave', () => both(x => x.light(null)));
    function pin_both(element, on) {
        const box = element.closest('.lines') || source;
        both(x => x.pin(on ? first_key(element) : null, x === own ? box : null));
    }
    explorer.addEventListener('click', e => {
        const element = e.target.closest('[data-l]');
        if (element) pin_both(element, first_key(element) !== pinned);
    });
    /* Arrow keys go through the rows of the source, or the lines of a stage: from its box to what is pinned. */
    explorer.addEventListener('keydown', e => {
        const element = e.target.closest('[data-l]'), box = e.target.closest('.lines, .source');
        if (e.key === 'Escape') both(x => x.pin(null));
        if (e.key === 'Enter' && element) pin_both(element, true);
        if (!box || !element && !e.target.matches('.lines')) return;
        const all = [...box.querySelectorAll('[data-l]')];
        const at = element ? all.indexOf(element) : Math.max(all.findIndex(x => x.matches('.pinned')), 0) - 1;
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        if (!all[to]) return;
        if (!all[to].hasAttribute('tabindex')) all[to].tabIndex = -1;
        all[to].focus();
        both(x => x.light(first_key(all[to])));
    });
    source.addEventListener('focusin', e => { /* Tab comes back to where it left */
        const row = e.target.closest('tr[data-l]');
        if (!row) return;
        for (const old of source.querySelectorAll('tr[tabindex="0"]')) old.tabIndex = -1;
        row.tabIndex = 0;
    });
    const rows = [...source.querySelectorAll('tr[data-l]')];
    if (rows.length) rows[0].tabIndex = 0;
    for (const row of rows)
        row.setAttribute('aria-label', `line ${row.querySelector('th').textContent}: ${row.querySelector('.code').textContent.trim()}`);
    make_tabs(stages, () => { if (pinned) reveal(pinned, source); });
    make_heat(source);
    explorers.push(own);
}

/* The colour of the source follows the column whose title is pressed. */
function make_heat(source) {
    const buttons = [...source.querySelectorAll('.heat')];
    function paint(column) {
        buttons.forEach((b, i) => b.setAttribute('aria-pressed', i === column));
        for (const row of source.querySelectorAll('tbody tr')) {
            const cell = row.querySelectorAll('.m')[column];
            row.style.setProperty('--glow', cell && cell.style.getPropertyValue('--h') || 0);
        }
    }
    buttons.forEach((b, i) => b.addEventListener('click', () => paint(i)));
    if (!buttons.length) return;
    paint(0);
    const glow = row => +row.style.getPropertyValue('--glow');
    const rows = [...source.querySelectorAll('tr[data-l]')];
    if (rows.length) show_inside(source, rows.reduce((a, b) => glow(b) > glow(a) ? b : a));
}

function make_tabs(pane, changed) {
    const all = [...pane.querySelectorAll('.stage')];
    const bar = document.createElement('div');
    bar.className = 'tabs';
    bar.setAttribute('role', 'tablist');
    const tabs = all.map((stage, i) => {
        const tab = document.createElement('button');
        tab.type = 'button';
        tab.textContent = stage.dataset.title;
        tab.setAttribute('role', 'tab');
        tab.id = stage.id + '-tab';
        tab.setAttribute('aria-controls', stage.id);
        stage.setAttribute('role', 'tabpanel');
        stage.setAttribute('aria-labelledby', tab.id);
        tab.addEventListener('click', () => choose(i));
        bar.append(tab);
        return tab;
    });
    function choose(i) {
        all.forEach((stage, k) => { stage.hidden = k !== i; });
        tabs.forEach((tab, k) => {
            tab.setAttribute('aria-selected', k === i);
            tab.tabIndex = k === i ? 0 : -1;
        });
        changed();
    }
    bar.addEventListener('keydown', e => {
        const at = tabs.indexOf(document.activeElement), n = tabs.length;
        const to = { ArrowRight: at + 1, ArrowLeft: at + n - 1, Home: 0, End: n - 1 }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        choose(to % n);
        tabs[to % n].focus();
    });
    pane.classList.add('tabbed');
    pane.prepend(bar);
    if (all.length) choose(0);
}

/* --- accesses, one by one --- */

const kinds = { '.': 'none', r: 'read', R: 'reread', w: 'written', b: 'both', W: 'rewritten' }; /* of cells, by letters */

function read_steps(text) {
    return text.split(';').map(step => {
        const [program, key, effect, figure, cells] = step.split(',');
        const runs = [...cells.matchAll(/(\d+)(?:\+(\d+))?([a-zA-Z])/g)].map(([, at, n, kind]) => [+at, +(n || 1), kind]);
        return { program: +program, key, effect, figure: +figure, runs };
    });
}

/* The cells of a figure, drawn anew over those of the whole launch. */
function make_cells(figure) {
    const svg = figure.querySelector('.cells'), base = [...svg.children];
    const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    const holes = new Uint8Array(width * height).fill(1); /* behind the end of the last row */
    function each(path, act) {
        for (const [, x, y, n] of path.matchAll(/M(\d+) (\d+).5h(\d+)/g)) {
            for (let i = 0; i < n; i++) act(+y * width + +x + i);
        }
    }
    for (const path of base) each(path.getAttribute('d'), cell => { holes[cell] = 0; });
    function add(name) {
        const path = document.createElementNS(svg.namespaceURI, 'path');
        path.setAttribute('class', 'cell-' + name);
        return svg.appendChild(path);
    }
    const layers = Object.entries(kinds).map(([letter, name]) => [letter, add(name)]), mark = add('now');
    function strokes(has) {
        const out = [];
        for (let y = 0; y < height; y++) {
            for (let x = 0, n; x < width; x += n) {
                for (n = 1; x + n < width && has(y * width + x + n) === has(y * width + x);) n++;
                if (has(y * width + x)) out.push(`M${x} ${y}.5h${n}`);
            }
        }
        return out.join('');
    }
    function draw(steps, now) {
        const current = new Set(), kind = new Array(width * height).fill('.');
        for (const step of steps) {
            for (const [at, n, letter] of step.runs) {
                kind.fill(letter, at, at + n);
                for (let c = at; step === now && c < at + n; c++) current.add(c);
            }
        }
        for (const [letter, path] of layers) path.setAttribute('d', strokes(c => !holes[c] && kind[c] === letter));
        mark.setAttribute('d', strokes(c => current.has(c)));
    }
    const legend = [...figure.querySelectorAll('.legend span')], shown = legend.map(s => !s.hidden);
    return (steps, now) => {
        base.forEach(path => path.toggleAttribute('hidden', steps !== null));
        if (steps) draw(steps, now);
        else for (const path of [mark, ...layers.map(l => l[1])]) path.setAttribute('d', '');
        figure.classList.toggle('stepping', steps !== null);
        legend.forEach((s, i) => { s.hidden = steps ? !layers[i][1].getAttribute('d') : !shown[i]; });
    };
}

function make_stepper(stepper) {
    const version = stepper.closest('.version'), slider = stepper.querySelector('input');
    const figures = [...version.querySelectorAll('.accesses')].map(f => ({
        name: f.dataset.name, draw: make_cells(f),
    }));
    const steps = read_steps(stepper.dataset.steps), said = stepper.querySelector('output');
    const [gx, gy] = stepper.dataset.grid.split(' ').map(Number);
    const explorer = explorers.find(e => e.has(version.querySelector('.explorer tr')));

    function program(p) {
        return `(${p % gx}, ${Math.floor(p / gx) % gy}, ${Math.floor(p / gx / gy)})`;
    }
    function words(n) {
        if (n === 0) return 'nothing has been read or written yet';
        const { program: p, key, effect, figure } = steps[n - 1];
        const line = key ? 'line ' + key.split('l')[1] : 'a line that is not known';
        const does = { r: 'reads', w: 'writes', b: 'reads and writes' }[effect];
        return `${n} of ${steps.length}: program ${program(p)}, ${line}, ${does} ${figures[figure].name}`;
    }
    function show() {
        const n = +slider.value, now = steps[n - 1], all = n === steps.length;
        said.textContent = words(n) + (all ? '; the figures show all that there was' : '');
        slider.setAttribute('aria-valuetext', words(n));
        figures.forEach((f, i) => f.draw(all ? null : steps.slice(0, n).filter(s => s.figure === i), now));
        if (explorer) explorer.light(all || !now ? null : now.key);
    }
    /* To the end of the next program, or of the one before. */
    function by_program(way) {
        let n = +slider.value;
        if (way < 0) {
            const p = n > 0 ? steps[n - 1].program : 0;
            while (n > 0 && steps[n - 1].program === p) n--;
        } else {
            const p = n < steps.length ? steps[n].program : 0;
            while (n < steps.length && steps[n].program === p) n++;
        }
        slider.value = n;
        show();
    }
    slider.addEventListener('input', show);
    slider.addEventListener('keydown', e => {
        const way = { PageUp: -1, PageDown: 1 }[e.key];
        if (way === undefined) return;
        e.preventDefault();
        by_program(way);
    });
    stepper.hidden = false;
    show();
}

document.querySelectorAll('.explorer').forEach(make_explorer);
document.querySelectorAll('.stepper').forEach(make_stepper);

/* A link of an advice leads to its line, which is pinned. */
function follow() {
    const row = document.getElementById(location.hash.slice(1));
    const explorer = row && explorers.find(e => e.has(row));
    if (explorer) explorer.pin(first_key(row));
}
addEventListener('hashchange', follow);
follow();
