/** Builds and patches DOM without a framework. Data only ever becomes text nodes and attribute values, never markup. */

/** A child of an element: another element, a part of a picture, or text. */
export type Child = Node | string | { readonly element: Node };

/** A part of a picture: its element, and an update that patches it. */
export interface Part<Shown extends readonly unknown[]> {
  readonly element: HTMLElement;
  update(...shown: Shown): void;
}

type Attributes = Readonly<Record<string, string>>;

/** Creates an element with attributes (`role`, `aria-…`) and children. Classes get our prefix: `readout` becomes `stridelab-readout`. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    created.setAttribute(name, name === 'class' ? value.replace(/\S+/g, 'stridelab-$&') : value);
  created.append(
    ...children.map(child => (typeof child === 'object' && 'element' in child ? child.element : child))
  );
  return created;
}

/** Creates an element with only a class: `part('p', 'readout')` is a paragraph of class `stridelab-readout`. */
export function part<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return element(tag, { class: name }, ...children);
}

export function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (SVGElement | string)[]
): SVGElement {
  const created: SVGElement = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
  created.append(...children);
  return created;
}

/** Creates the status line of a request, announced by screen readers. */
export function createStatus() {
  const line = element('span', { class: 'status', role: 'status' });
  return {
    element: line,
    say(sentence: string, kind: 'plain' | 'error' | 'pending' = 'plain'): void {
      setAttribute(line, 'data-kind', kind);
      setText(line, sentence);
    }
  };
}

/** Creates a table with a caption, a row of headings, if any, and groups of rows. `name` distinguishes it from other tables. */
export function createTable(
  name: string,
  caption: Child,
  headings: readonly Child[],
  ...bodies: readonly HTMLElement[]
): HTMLTableElement {
  const heads = headings.map(head =>
    typeof head === 'string' ? element('th', { scope: 'col' }, head) : head
  );
  return part(
    'table',
    `table ${name}`,
    typeof caption === 'string' ? element('caption', {}, caption) : caption,
    ...(heads.length > 0 ? [element('thead', {}, element('tr', {}, ...heads))] : []),
    ...bodies
  );
}

/** Creates a row of a table, led by its heading. */
export function createTableRow(
  heading: Child,
  cells: readonly Child[],
  attributes: Attributes = {}
): HTMLTableRowElement {
  const lead = element('th', { scope: 'row' }, heading);
  return element('tr', attributes, lead, ...cells.map(cell => element('td', {}, cell)));
}

let lastId = 0;

/** Creates an id for `aria-controls` and similar. Several views of one model share a page, so names alone are not unique. */
export function uniqueId(name: string): string {
  lastId += 1;
  return `stridelab-${name}-${lastId}`;
}

/** Writes text only if it differs, so that selections and screen-reader positions survive. Returns whether it differed. */
export function setText(target: HTMLElement, text: string): boolean {
  if (target.textContent === text) return false;
  target.textContent = text;
  return true;
}

/** Sets the text of a line that is hidden while it is empty. */
export function setLine(target: HTMLElement, text: string): void {
  setText(target, text);
  target.hidden = text === '';
}

/** Sets the text of a sentence in which `backticks` enclose code. */
export function setProse(target: HTMLElement, sentence: string): void {
  const parts = sentence.split('`');
  if (target.textContent === parts.join('')) return;
  target.replaceChildren(...parts.map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part)));
}

/** Sets or, with null, removes an attribute. */
export function setAttribute(target: Element, name: string, value: string | null): void {
  if (value === null) target.removeAttribute(name);
  else if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/**
 * Keeps the children of `parent` equal to a list of items. A child with an unchanged key keeps its node, and
 * a node moves only when the order changes, so focus and open disclosures survive.
 */
export function createKeyedList<Item>(
  parent: HTMLElement,
  keyOf: (item: Item) => string,
  create: (item: Item) => Part<[Item]>
): (items: readonly Item[]) => void {
  const children = new Map<string, Part<[Item]>>();
  return items => {
    const wanted = new Set(items.map(keyOf));
    for (const [key, child] of children) {
      if (wanted.has(key)) continue;
      child.element.remove();
      children.delete(key);
    }
    let cursor = parent.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      let child = children.get(key);
      if (!child) {
        child = create(item);
        children.set(key, child);
      }
      if (child.element === cursor) cursor = cursor.nextElementSibling;
      else parent.insertBefore(child.element, cursor);
      child.update(item);
    }
  };
}
