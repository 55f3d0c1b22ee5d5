// Charts, drawn as SVG.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Num = number | null;

export interface ChartData {
  kind: "bars" | "line" | "histogram"; labels?: string[]; values?: Num[]; edges?: number[];
  series?: { name?: string; x: Num[]; y: Num[] }[]; time?: boolean;
  more?: number; not_numbers?: number;
}

const widest = 640, H = 240, left = 64, right = 8, top = 18, bottom = 28;
const short = (n: number) =>
  (Math.abs(n) >= 1e15 || (n !== 0 && Math.abs(n) < 1e-4) ? n.toPrecision(4) : String(+n.toPrecision(6)));
const large = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
// There is little room at axes and bars.
const brief = (n: number) => (Math.abs(n) >= 1e6 && Math.abs(n) < 1e15 ? large.format(n) : short(n));

export function Chart({ chart }: { chart: ChartData }) {
  const note = [chart.more && `${chart.more} more not drawn`,
    chart.not_numbers && `${chart.not_numbers} values are not numbers`].filter(Boolean).join("; ");
  const empty = !(chart.series?.flatMap((s) => s.y) ?? chart.values ?? []).some((v) => typeof v === "number");
  const figure = useRef<HTMLElement>(null);
  const [W, setW] = useState(widest);
  useLayoutEffect(() => { // drawn for the real width: scaled text could not be read
    const fit = () => setW(Math.max(280, Math.min(widest, figure.current!.clientWidth || widest)));
    const seen = new ResizeObserver(fit);
    seen.observe(figure.current!);
    fit();
    return () => seen.disconnect();
  }, []);
  return (
    <figure class="chart" ref={figure}>
      {empty ? <p class="dim">nothing to draw</p>
        : chart.kind === "line" ? <Lines chart={chart} W={W} /> : <Bars chart={chart} W={W} />}
      {note && <figcaption class="dim">{note}</figcaption>}
    </figure>
  );
}

const most = 8e307; // maximum absolute value, so that differences stay finite

interface Scale { from: number; to: number; ticks: number[] }

// Axes end at round numbers and span all values.
function scale(values: Num[]): Scale {
  const some = values.filter((v): v is number => typeof v === "number");
  let from = Math.min(...some), to = Math.max(...some);
  if (!isFinite(from)) [from, to] = [0, 1];
  [from, to] = [Math.max(from, -most), Math.min(to, most)];
  if (to - from <= Math.abs(from) * 1e-12) to = from + (Math.abs(from) || 1); // they look equal on an axis
  const raw = (to - from) / 5, unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= raw)!;
  from = Math.floor(from / step) * step;
  const ticks = [];
  for (let i = 0, t = from; i < 12 && t < to + step; i++, t = from + i * step) ticks.push(+t.toPrecision(12));
  return { from, to: ticks[ticks.length - 1], ticks };
}

const up = (s: Scale, v: number) => top + (H - top - bottom) * (1 - (v - s.from) / (s.to - s.from));

function Upright({ s, W }: { s: Scale; W: number }) {
  return <>{s.ticks.map((t) =>
    <g key={t}>
      <line class="grid" x1={left} x2={W - right} y1={up(s, t)} y2={up(s, t)} />
      <text x={left - 6} y={up(s, t) + 4} text-anchor="end">{brief(t)}</text>
    </g>)}</>;
}

const row = 20, letter = 7;
const widthOf = (all: string[]) =>
  letter * Math.max(0, ...all.map((s) => [...s].reduce((n, c) => n + (c > "\u1100" ? 2 : 1), 0)));

// Bars are horizontal, as in a terminal and in exports, so that each has its name and its number beside it.
function Bars({ chart, W }: { chart: ChartData; W: number }) {
  const values = chart.values ?? [], some = values.filter((v): v is number => typeof v === "number");
  const name = (i: number) =>
    (chart.labels ? chart.labels[i] : `${short(chart.edges![i])} to ${short(chart.edges![i + 1])}`);
  const tell = (i: number) => `${name(i)}: ${values[i] === null ? "no number" : short(values[i]!)}`;
  const names = values.map((_, i) => clip(name(i), Math.floor(W / 20))),
    numbers = values.map((v) => (v === null ? "" : brief(v)));
  const from = widthOf(names) + 8, to = W - widthOf(numbers) - 8;
  const low = Math.max(-most, Math.min(0, ...some)), high = Math.min(most, Math.max(0, ...some));
  const across = (v: number) => from + ((to - from) * (Math.max(low, Math.min(high, v)) - low)) / (high - low || 1);
  return (
    <svg viewBox={`0 0 ${W} ${values.length * row + 4}`} role="img"
        aria-label={values.slice(0, 40).map((_, i) => tell(i)).join(", ")}>
      {values.map((v, i) => {
        const long = v ? Math.max(1.5, Math.abs(across(v) - across(0))) : 0; // small values stay visible
        return (
          <g key={i}>
            <title>{tell(i)}</title>
            <text x={from - 8} y={i * row + 14} text-anchor="end">{names[i]}</text>
            <rect class="bar-of-chart" x={v && v < 0 ? across(0) - long : across(0)} width={long} y={i * row + 3}
              height={row - 5} />
            <text x={W} y={i * row + 14} text-anchor="end">{numbers[i]}</text>
          </g>
        );
      })}
      <line class="grid" x1={across(0)} x2={across(0)} y1={0} y2={values.length * row + 4} />
    </svg>
  );
}

// Shortens a name in the middle, because paths and numbered names differ at their ends.
const clip = (s: string, most: number) =>
  (s.length > most ? s.slice(0, Math.ceil(most / 2) - 1) + "…" + s.slice(-Math.floor(most / 2)) : s);

function Lines({ chart, W }: { chart: ChartData; W: number }) {
  const series = chart.series ?? [];
  const y = scale(series.flatMap((s) => s.y)),
    xs = series.flatMap((s) => s.x).filter((v): v is number => typeof v === "number");
  const x0 = Math.min(...xs), x1 = Math.max(...xs);
  const across = (v: number) => left + ((W - left - right) * (v - x0)) / (x1 - x0 || 1);
  const ticks = (!chart.time ? [0, 1, 2, 3, 4] : W < 420 ? [0, 4] : [0, 2, 4]).map((i) => x0 + ((x1 - x0) * i) / 4);
  const tick = (t: number) => (chart.time ? new Date(t * 1000).toISOString().slice(0, 16).replace("T", " ") : brief(t));
  return (
    <>
      <svg viewBox={`0 0 ${W} ${H}`} role="img"
          aria-label={series.map((s, i) => `line ${s.name || i + 1} with ${s.x.length} points`).join(", ")}>
        <Upright s={y} W={W} />
        {xs.length > 0 && ticks.map((t, i) =>
          <text key={i} x={across(t)} y={H - 8}
            text-anchor={i === 0 ? "start" : i === ticks.length - 1 ? "end" : "middle"}>{tick(t)}</text>)}
        {series.map((s, i) => <path key={i} class={"line-of-chart series" + i}
          d={path(s.x, s.y, across, (v) => up(y, v))} />)}
      </svg>
      {series.some((s) => s.name)
        && <p class="legend">{series.map((s, i) =>
          <span key={i}><i class={"key series" + i} />{s.name || i + 1}</span>)}</p>}
    </>
  );
}

// A point without a number leaves a gap in the line.
function path(x: Num[], y: Num[], across: (v: number) => number, up: (v: number) => number): string {
  let d = "", pen = false;
  for (let i = 0; i < x.length; i++) {
    const a = x[i], b = y[i];
    if (typeof a !== "number" || typeof b !== "number") { pen = false; continue; }
    d += `${pen ? "L" : "M"}${across(a).toFixed(1)} ${up(b).toFixed(1)}`;
    if (!pen && (i + 1 >= x.length || typeof y[i + 1] !== "number")) d += "h.1"; // makes a single point visible
    pen = true;
  }
  return d;
}
