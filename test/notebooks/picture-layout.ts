/** Faults of a picture that axe-core has no rules for: clipped text, invisible focus, motion. */

import type { Locator, Page } from 'playwright-core';

/**
 * Elements whose text is clipped, lies outside the picture, breaks within a short word, or overlaps the
 * next row of a table, each with the start of its text. Scrolling boxes may be wider.
 */
export function clippedTexts(view: Locator): Promise<string[]> {
  return view.evaluate(root => {
    const right = root.getBoundingClientRect().right + 1;
    const found: string[] = [];
    const scrolls = (element: Element): boolean => {
      for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement)
        if (/auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    /** Whether a short word continues in the next line although it has no hyphen. */
    const brokenWord = (text: ChildNode): boolean => {
      for (const match of (text.textContent ?? '').matchAll(/(?<![^\s(])[A-Za-z0-9]{2,12}(?=[\s,.;:)]|$)/g)) {
        const word = document.createRange();
        word.setStart(text, match.index);
        word.setEnd(text, match.index + match[0].length);
        if (new Set([...word.getClientRects()].map(({ top }) => Math.round(top))).size > 1) return true;
      }
      return false;
    };
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      const texts = [...element.childNodes].filter(
        node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()
      );
      if (texts.length === 0 || element.checkVisibility() === false) continue;
      const isScrolled = scrolls(element);
      const style = getComputedStyle(element);
      if (style.clipPath !== 'none' || style.position === 'absolute') continue;
      const cut =
        !isScrolled && /hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
      const range = document.createRange();
      range.selectNodeContents(element);
      const out = !isScrolled && range.getBoundingClientRect().right > right;
      const broken = texts.some(text => brokenWord(text));
      const fault = cut ? 'cut' : out ? 'outside' : broken ? 'broken' : undefined;
      if (fault !== undefined)
        found.push(`${fault}: ${element.className} ${element.textContent.slice(0, 40)}`);
    }
    for (const cell of root.querySelectorAll('tbody tr > *')) {
      const below = cell.getBoundingClientRect().bottom + 1;
      const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (words.nextNode() !== null) {
        // The contents of a closed fold have a position, but are not visible.
        if (words.currentNode.parentElement?.checkVisibility() !== true) continue;
        const text = document.createRange();
        text.selectNodeContents(words.currentNode);
        if (text.getBoundingClientRect().bottom <= below) continue;
        found.push(`overlaps: ${cell.textContent.slice(0, 40)}`);
        break;
      }
    }
    return found;
  });
}

/**
 * Overflow: controls and texts that are partly outside the picture or outside a scrolling box, and boxes that clip
 * their contents, each with the start of its text. Tables, grids and drawings may be wider than their scrolling box.
 */
export function overflowing(view: Locator): Promise<string[]> {
  return view.evaluate(root => {
    const WIDE = 'table, [role=grid], [role=table], svg, canvas, .stridelab-wide';
    const found: string[] = [];
    const frame = root.getBoundingClientRect();
    if (root.scrollWidth > root.clientWidth + 1)
      found.push(`picture: ${root.scrollWidth} of ${root.clientWidth} pixels`);
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      if (!element.checkVisibility() || element.closest('svg') !== null) continue;
      const style = getComputedStyle(element);
      if (style.clipPath !== 'none') continue;
      const name = `${element.localName} ${element.className} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`;
      // A title has the text that an ellipsis omits.
      const isShortened = style.textOverflow === 'ellipsis' && element.closest('[title]') !== null;
      const hides = /hidden|clip/.test(style.overflowX) && !isShortened;
      if (hides && element.scrollWidth > element.clientWidth + 1) found.push(`hides: ${name}`);
      const hasText = [...element.childNodes].some(
        node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()
      );
      if (!hasText && !element.matches('button, input, select, summary, canvas, svg, [tabindex]')) continue;
      const own = document.createRange();
      own.selectNodeContents(element);
      // A caption is as wide as its table, but its text is not.
      const boxes = [
        ...(element.matches('caption') ? [] : [element.getBoundingClientRect()]),
        ...(hasText ? [own.getBoundingClientRect()] : [])
      ];
      let [left, right] = [frame.left, frame.right];
      for (let at = element.parentElement; at !== null && at !== root; at = at.parentElement) {
        if (!/auto|scroll/.test(getComputedStyle(at).overflowX)) continue;
        // The content of a scrolling box may be wider if it is a table or a drawing.
        if (element.closest(`${WIDE}, caption`)?.matches(WIDE)) [left, right] = [-Infinity, Infinity];
        else {
          const box = at.getBoundingClientRect();
          [left, right] = [Math.max(left, box.left), Math.min(right, box.left + at.clientWidth + 1)];
        }
      }
      if (boxes.some(box => box.width > 0 && (box.left < left - 1 || box.right > right + 1)))
        found.push(`outside: ${name}`);
      if (element.matches('button, input, select') && element.scrollWidth > element.clientWidth + 1)
        found.push(`cut: ${name}`);
    }
    return found;
  });
}

export interface FocusWalk {
  /** Elements of the picture that the Tab key visits, in order. */
  readonly visited: readonly string[];
  /** Elements without an outline, border or shadow that shows the focus. */
  readonly unseen: readonly string[];
  /** Whether the walk left the picture at the end, and at the beginning with Shift+Tab. */
  readonly leaves: boolean;
  readonly returns: boolean;
}

const MOST_STOPS = 150;

/** Moves through a picture between the buttons `before` and `after` with the Tab key. */
export async function walkFocus(page: Page): Promise<FocusWalk> {
  await page.locator('#before').focus();
  const visited: string[] = [];
  const unseen: string[] = [];
  const press = async (key: string): Promise<{ id: string; name: string; seen: boolean }> => {
    await page.keyboard.press(key);
    return page.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      if (!(active instanceof HTMLElement || active instanceof SVGElement))
        return { id: '', name: 'nothing', seen: false };
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(active);
      const seen = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
      const name = active.getAttribute('aria-label') ?? active.textContent.slice(0, 30);
      return { id: active.id, name: `${active.localName} ${name}`, seen };
    });
  };
  let leaves = false;
  for (let stop = 0; stop < MOST_STOPS && !leaves; stop++) {
    const at = await press('Tab');
    leaves = at.id === 'after';
    if (leaves) break;
    visited.push(at.name);
    if (!at.seen) unseen.push(at.name);
  }
  let returns = false;
  for (let stop = 0; leaves && stop <= visited.length && !returns; stop++)
    returns = (await press('Shift+Tab')).id === 'before';
  return { visited, unseen, leaves, returns };
}

/** Controls that a picture shows at first and not after its first frames, each with the start of its text: they would lose the focus. */
export async function vanishing(page: Page, show: () => Promise<unknown>): Promise<string[]> {
  await page.evaluate(() => {
    const place = document.querySelector('#place')!;
    Object.assign(window, { controls: [] });
    // As soon as there are controls, before a frame can change them.
    new MutationObserver((_, observer) => {
      const all = [...place.querySelectorAll('button, summary, select, input, [tabindex]')];
      if (all.length === 0) return;
      observer.disconnect();
      Object.assign(window, { controls: all.filter(control => control.checkVisibility()) });
    }).observe(place, { childList: true, subtree: true });
  });
  await show();
  return page.evaluate(async () => {
    const { controls } = window as unknown as { controls: Element[] };
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return controls
      .filter(control => !control.checkVisibility())
      .map(control => control.textContent.slice(0, 30));
  });
}

/** Elements with a transition or animation longer than zero. */
export function movingElements(view: Locator): Promise<string[]> {
  return view.evaluate(root =>
    [root, ...root.querySelectorAll('*')]
      .filter(element => {
        const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
        const takesTime = (durations: string): boolean =>
          durations.split(',').some(duration => parseFloat(duration) > 0.01);
        return takesTime(transitionDuration) || (animationName !== 'none' && takesTime(animationDuration));
      })
      .map(element => String(element.getAttribute('class')))
  );
}
