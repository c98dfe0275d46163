/** A long list of rows of equal height, of which only the visible ones have elements. */

import { element } from '../views/kit/dom.ts';

export interface RowElement<Item> {
  readonly element: HTMLElement;
  update(item: Item, index: number): void;
}

/** Extra rows beyond the edges, so that fast scrolling shows no gap. */
const MARGIN = 8;

export function createVirtualList<Item>(
  scroller: HTMLElement,
  head: HTMLElement,
  createRow: () => RowElement<Item>
) {
  const space = element('div', { role: 'rowgroup' });
  const shown = new Map<number, RowElement<Item>>();
  let items: readonly Item[] = [];
  let rowHeight = 24;
  let frame = 0;
  const visibleHeight = (): number => Math.max(0, scroller.clientHeight - head.offsetHeight);

  const draw = (): void => {
    frame = 0;
    const first = Math.max(0, Math.floor(scroller.scrollTop / rowHeight) - MARGIN);
    const end = Math.min(
      items.length,
      Math.ceil((scroller.scrollTop + visibleHeight()) / rowHeight) + MARGIN
    );
    const spare: RowElement<Item>[] = [];
    for (const [index, row] of shown)
      if (index < first || index >= end) {
        spare.push(row);
        shown.delete(index);
      }
    for (let index = first; index < end; index += 1) {
      let row = shown.get(index);
      if (row === undefined) {
        row = spare.pop() ?? createRow();
        shown.set(index, row);
        row.element.style.transform = `translateY(${index * rowHeight}px)`;
        row.update(items[index] as Item, index);
      }
      if (row.element.parentElement !== space) space.append(row.element);
    }
    for (const { element: unused } of spare) unused.remove();
  };
  const drawSoon = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const refresh = (): void => {
    cancelAnimationFrame(frame);
    space.style.height = `${items.length * rowHeight}px`;
    for (const [index, row] of shown) {
      const item = items[index];
      if (item === undefined) {
        row.element.remove();
        shown.delete(index);
      } else {
        row.element.style.transform = `translateY(${index * rowHeight}px)`;
        row.update(item, index);
      }
    }
    draw();
  };
  scroller.addEventListener('scroll', drawSoon, { passive: true });
  const sizes = new ResizeObserver(drawSoon);
  sizes.observe(scroller);

  return {
    /** Placed below the head inside the scrolling element. */
    element: space,
    setItems(newer: readonly Item[]): void {
      items = newer;
      refresh();
    },
    setRowHeight(height: number): void {
      if (height === rowHeight) return;
      const top = scroller.scrollTop / rowHeight;
      rowHeight = height;
      refresh();
      scroller.scrollTop = top * rowHeight;
    },
    /** Updates rows after their context changed. */
    refresh,
    rowAt: (index: number): HTMLElement | undefined => shown.get(index)?.element,
    reveal(index: number): void {
      const top = index * rowHeight;
      const height = visibleHeight();
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + rowHeight > scroller.scrollTop + height) scroller.scrollTop = top + rowHeight - height;
      draw();
    },
    get pageSize(): number {
      return Math.max(1, Math.floor(visibleHeight() / rowHeight) - 1);
    },
    dispose(): void {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      scroller.removeEventListener('scroll', drawSoon);
    }
  };
}
