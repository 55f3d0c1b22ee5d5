// What is as it was is not drawn again.

import { Component, type ComponentType, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** still draws a component again only if its version or another of its properties has changed. */
export function still<P extends { v: number }>(Inner: ComponentType<P>): ComponentType<P> {
  return class Still extends Component<P> {
    shouldComponentUpdate(next: P) {
      for (const k in next) if (next[k] !== this.props[k as keyof typeof this.props]) return true;
      return false;
    }
    render() { return <Inner {...this.props} />; }
  };
}

/** Guarded keeps what fails to be drawn from taking the rest of the page with it. */
export class Guarded extends Component<{ what: string; children: ComponentChildren }, { problem?: string }> {
  componentDidCatch(e: unknown) {
    console.error(e);
    this.setState({ problem: String(e) });
  }
  render() {
    return this.state.problem ? <p class="problem" role="alert">{this.props.what} cannot be shown: {this.state.problem} <button class="link" onClick={() => this.setState({ problem: undefined })}>try again</button></p> : this.props.children;
  }
}

/** useSeen says whether an element has come near what is seen, once. */
export function useSeen<E extends Element>(): [preact.RefObject<E>, boolean] {
  const place = useRef<E>(null);
  const [seen, setSeen] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (seen || !place.current) return;
    const watch = new IntersectionObserver((all) => {
      if (all.some((e) => e.isIntersecting)) { watch.disconnect(); setSeen(true); }
    }, { rootMargin: "600px" });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [seen]);
  return [place, seen];
}

const first = 12, more = 100; // items of a long list that are drawn at once

// What can wait until the page has nothing else to do, but not for long.
function whenIdle(does: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const later = setTimeout(does);
    return () => clearTimeout(later);
  }
  const later = requestIdleCallback(does, { timeout: 300 });
  return () => cancelIdleCallback(later);
}

/** useFrom says from which item on a long list is drawn: its end comes first, the rest bit by bit, so that it can be used at once. */
export function useFrom(count: number): number {
  const [n, set] = useState(first);
  useEffect(() => {
    if (n >= count + more / 2) return; // a list that grows never overtakes it
    return whenIdle(() => set(n + more));
  }, [n, count]);
  return Math.max(0, count - n);
}

/** Fold is a part that is drawn when it is opened. */
export function Fold(props: { summary: ComponentChildren; class?: string; children: () => ComponentChildren; open?: boolean }) {
  const [open, setOpen] = useState(!!props.open);
  return (
    <details class={props.class} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{props.summary}</summary>
      {open && props.children()}
    </details>
  );
}
