// Spans over time, drawn on a canvas: with ten thousand spans, it scrolls and zooms as fast as with ten.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Span } from "./api";
import { count, money, time, whole } from "./format";

const rowTall = 20, head = 24;

interface Window { from: number; to: number }

/**
 * Waterfall shows spans. The wheel with Ctrl zooms, dragging moves, arrow keys go from span to span, + and - zoom,
 * and 0 shows all.
 */
export function Waterfall(
    { spans, picked, pick, open }: { spans: Span[]; picked?: Span; pick: (s: Span) => void;
      open: (s: Span) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null), box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => ordered(spans), [spans]);
  const end = useMemo(() => spans.reduce((n, s) => Math.max(n, s.start + s.duration), 1), [spans]);
  const [window, setWindow] = useState<Window>();
  const [wide, setWide] = useState(600);
  const now = useRef<Window>({ from: 0, to: end });
  now.current = window ?? { from: 0, to: end };
  const names = Math.max(110, Math.min(260, Math.round(wide * 0.32)));
  const tall = Math.min(Math.max(220, Math.round(innerHeight * 0.5)), rows.length * rowTall + head);
  const draw = () => paint(canvas.current!, rows, now.current, box.current!.scrollTop, wide, tall, names, picked);
  useEffect(() => {
    const watch = new ResizeObserver(() => box.current && setWide(box.current.clientWidth));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(draw);
  const zoom = (by: number, around = 0.5) => {
    const { from, to } = now.current, at = from + (to - from) * around,
      span = Math.min(end, Math.max(1000, (to - from) * by));
    move({ from: at - span * around, to: at + span * (1 - around) });
  };
  const move = (w: Window) => {
    const span = w.to - w.from, from = Math.max(0, Math.min(w.from, end - span));
    setWindow(span >= end ? undefined : { from, to: from + span });
  };
  useEffect(() => { // not passive: with Ctrl, the wheel must zoom here instead of the page
    const el = box.current!;
    const wheel = (e: WheelEvent) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      zoom(e.deltaY > 0 ? 1.25 : 0.8, Math.max(0, Math.min(1, (e.offsetX - names) / (wide - names))));
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  });
  const drag = useRef<{ x: number; w: Window; moved: boolean }>();
  const rowAt = (e: MouseEvent) =>
    rows[Math.floor((e.clientY - canvas.current!.getBoundingClientRect().top
      + box.current!.scrollTop - head) / rowTall)]?.span;
  const key = (e: KeyboardEvent) => {
    const i = rows.findIndex((r) => r.span.id === picked?.id);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[e.key];
    if (step) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, i + step))];
      if (next) { pick(next.span); keep(rows.indexOf(next)); }
    } else if (e.key === "Home" || e.key === "End") {
      const next = rows[e.key === "Home" ? 0 : rows.length - 1];
      if (next) { pick(next.span); keep(rows.indexOf(next)); }
    } else if (e.key === "Enter" && picked) open(picked);
    else if (e.key === "0") setWindow(undefined);
    else if (e.key === "+" || e.key === "=") zoom(0.8);
    else if (e.key === "-") zoom(1.25);
    else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
      const { from, to } = now.current, by = ((to - from) / 5) * (e.key === "ArrowLeft" ? -1 : 1);
      move({ from: from + by, to: to + by });
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const keep = (i: number) => {
    const el = box.current!, y = i * rowTall;
    if (y < el.scrollTop) el.scrollTop = y;
    else if (y + rowTall > el.scrollTop + tall - head) el.scrollTop = y + rowTall - tall + head;
  };
  return (
    <div class="waterfall">
      <div class="find"><span class="dim">{count(spans.length, "span")}, {time(end)}</span>
          <button class="link" aria-label="zoom in" title="zoom in (+, or the wheel with Ctrl)"
            onClick={() => zoom(0.5)}>+</button>
          <button class="link" aria-label="zoom out" title="zoom out (-)" onClick={() => zoom(2)}>−</button>
          {window && <button class="link" onClick={() => setWindow(undefined)}>all</button>}
        <span class="legend">
          <span><i class="key model" />model</span>
          <span><i class="key of-cell" />cell</span>
          <span><i class="key call" />sub-call</span>
          <span><i class="key failed" />failed</span>
        </span></div>
      <div class="spans" ref={box} tabIndex={0} role="application" aria-roledescription="waterfall"
          aria-label={`${count(spans.length, "span")} over ${time(end)}; arrow keys go from span to span, Enter shows one in the notebook, plus and minus zoom`}
          style={{ height: tall + "px" }} onScroll={draw} onKeyDown={key}
        onDblClick={(e) => {
          const s = rowAt(e);
          if (s) setWindow(s.duration >= end ? undefined
            : {
              from: Math.max(0, s.start - s.duration / 4),
              to: Math.min(end, s.start + Math.max(1000, s.duration * 1.25)),
            });
        }}
        onPointerDown={(e) => { drag.current = { x: e.clientX, w: now.current, moved: false }; }}
        onPointerMove={(e) => {
          const d = drag.current;
          if (!d || !e.buttons || Math.abs(e.clientX - d.x) < 3 && !d.moved) return;
          d.moved = true;
          const by = ((e.clientX - d.x) / (wide - names)) * (d.w.to - d.w.from);
          move({ from: d.w.from - by, to: d.w.to - by });
        }}
        onPointerUp={(e) => {
          const s = rowAt(e);
          if (drag.current && !drag.current.moved && s) pick(s);
          drag.current = undefined;
        }}>
        <div style={{ height: rows.length * rowTall + head + "px" }}>
          <canvas ref={canvas} aria-hidden="true" style={{ width: wide + "px", height: tall + "px" }} />
        </div>
      </div>
    </div>
  );
}

interface Row { span: Span; depth: number }

// Puts each span below the one that began it, in order of time. Spans mostly arrive in this order, so there is
// little to sort.
function ordered(spans: Span[]): Row[] {
  const below = new Map<number, Span[]>(), there = new Set<number>();
  for (const s of spans) there.add(s.id);
  for (const s of spans) {
    const p = s.parent && there.has(s.parent) ? s.parent : 0, list = below.get(p);
    if (list) list.push(s); else below.set(p, [s]);
  }
  const out: Row[] = [], stack: Row[] = [];
  const add = (id: number, depth: number) => {
    const list = below.get(id);
    if (!list) return;
    if (list.some((s, i) => i && s.start < list[i - 1].start)) list.sort((a, b) => a.start - b.start);
    for (let i = list.length - 1; i >= 0; i--) stack.push({ span: list[i], depth });
  };
  add(0, 0);
  for (let row = stack.pop(); row; row = stack.pop()) {
    out.push(row);
    add(row.span.id, row.depth + 1);
  }
  return out;
}

// Returns the text beside a bar.
function tells(s: Span): string {
  return [time(s.duration), s.tokens && s.kind !== "run" && s.kind !== "turn" ? whole(s.tokens) + " tokens" : "",
    s.cached_tokens ? whole(s.cached_tokens) + " cached" : "", s.cost ? money(s.cost) : "",
    (s.attempts ?? 1) > 1 ? s.attempts + " tries" : ""].filter(Boolean).join(" · ");
}

function paint(canvas: HTMLCanvasElement, rows: Row[], w: Window, scroll: number, wide: number, tall: number,
    names: number, picked?: Span) {
  const ratio = devicePixelRatio || 1, c = canvas.getContext("2d")!, colour = coloursOf(canvas);
  if (canvas.width !== Math.round(wide * ratio)) canvas.width = Math.round(wide * ratio);
  if (canvas.height !== Math.round(tall * ratio)) canvas.height = Math.round(tall * ratio);
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, wide, tall);
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  const x = (t: number) => names + ((t - w.from) / (w.to - w.from)) * (wide - names);
  const ink = colour("--ink"), dim = colour("--dim"),
    kinds: Record<string, string> = {
      model: colour("--blue"), turn: colour("--line"), cell: colour("--good"), call: colour("--violet"),
      child: colour("--violet"), run: colour("--line"), restore: colour("--dim"),
    };
  const first = Math.floor(scroll / rowTall), last = Math.min(rows.length, first + Math.ceil(tall / rowTall) + 1);
  for (let i = first; i < last; i++) {
    const { span: s, depth } = rows[i], y = head + i * rowTall - scroll;
    if (s.id === picked?.id) { c.fillStyle = colour("--soft"); c.fillRect(0, y, wide, rowTall); }
    const from = Math.max(names, x(s.start)), to = Math.min(wide, x(s.start + s.duration));
    if (to >= names && from <= wide) {
      c.fillStyle = s.status === "failed" ? colour("--bad") : s.status === "stopped" ? dim : kinds[s.kind] ?? dim;
      c.fillRect(from, y + 4, Math.max(2, to - from), rowTall - 8);
      c.fillStyle = dim;
      const text = tells(s);
      if (to + 4 + c.measureText(text).width < wide) c.fillText(text, Math.max(from + 2, to) + 4, y + rowTall / 2);
    }
    c.fillStyle = s.status === "failed" ? colour("--bad") : ink;
    c.save();
    c.beginPath();
    c.rect(0, y, names - 6, rowTall);
    c.clip();
    c.fillText(s.kind === "turn" ? `turn ${s.turn ?? ""}` : s.name || s.kind, 4 + Math.min(depth, 6) * 10,
      y + rowTall / 2);
    c.restore();
  }
  c.clearRect(0, 0, wide, 22);
  c.fillStyle = dim;
  for (let i = 0, free = 0; i <= 4; i++) {
    const t = w.from + ((w.to - w.from) * i) / 4, text = time(t) || "0 s", long = c.measureText(text).width,
      at = Math.min(x(t), wide - long - 2);
    if (at < free) continue;
    c.fillText(text, at, 11);
    free = at + long + 8;
  }
}

const themes = new Map<string, Map<string, string>>();

// A canvas needs colour values instead of names. They are looked up once for light and once for dark colours.
function coloursOf(canvas: HTMLCanvasElement): (name: string) => string {
  const key = `${document.documentElement.dataset.theme ?? ""} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
  let known = themes.get(key);
  if (!known) themes.set(key, (known = new Map()));
  return (name) => {
    let c = known.get(name);
    if (!c) {
      canvas.style.color = `var(${name})`;
      known.set(name, (c = getComputedStyle(canvas).color));
    }
    return c;
  };
}
