// Prevents unchanged parts from being rendered again.

import { Component, type ComponentType, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** memo renders a component again only if its version v or another of its properties has changed. */
export function memo<P extends { v: number }>(Inner: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    shouldComponentUpdate(next: P) {
      for (const k in next) if (next[k] !== this.props[k as keyof typeof this.props]) return true;
      return false;
    }
    render() { return <Inner {...this.props} />; }
  };
}

/** Guarded prevents a part that cannot be rendered from breaking the rest of the page. */
export class Guarded extends Component<{ what: string; children: ComponentChildren }, { problem?: string }> {
  componentDidCatch(e: unknown) {
    console.error(e);
    this.setState({ problem: String(e) });
  }
  render() {
    return this.state.problem
      ? <p class="problem" role="alert">
        {this.props.what} cannot be
        shown: {this.state.problem} <button class="link" onClick={() => this.setState({ problem: undefined })}>
          try again
        </button>
      </p> : this.props.children;
  }
}

/** useSeen reports whether an element has been near the visible area. */
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

const first = 12, more = 100; // number of items of a long list rendered at first, and added each time

// Runs work when the browser is idle, but not much later.
function whenIdle(does: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const later = setTimeout(does);
    return () => clearTimeout(later);
  }
  const later = requestIdleCallback(does, { timeout: 300 });
  return () => cancelIdleCallback(later);
}

/**
 * useFrom returns the index from which a long list should be rendered. The end of the list is rendered first and
 * the rest gradually, so that the list can be used immediately.
 */
export function useFrom(count: number): number {
  const [n, set] = useState(first);
  useEffect(() => {
    if (n >= count + more / 2) return; // n is ahead of count, so that new items are rendered immediately
    return whenIdle(() => set(n + more));
  }, [n, count]);
  return Math.max(0, count - n);
}

/** Fold is a part that is rendered only when it is opened. */
export function Fold(props: { summary: ComponentChildren; class?: string; children: () => ComponentChildren;
    open?: boolean }) {
  const [open, setOpen] = useState(!!props.open);
  return (
    <details class={props.class} open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{props.summary}</summary>
      {open && props.children()}
    </details>
  );
}
