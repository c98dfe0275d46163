/** Style sheets of modules: one element per id while a widget uses it. */

import { isAddress } from './load-module.ts';

interface Sheet {
  element: HTMLElement;
  users: number;
}

const sheets = new Map<string, Sheet>();

export class StyleUse {
  readonly #id: string;
  #used = false;

  constructor(id: string) {
    this.#id = id;
  }

  /** Replaces the style by this text or address, for all users of the id. */
  show(css: string): void {
    if (css === '' && !this.#used) return;
    const sheet = sheets.get(this.#id);
    const element = elementFor(css);
    if (sheet === undefined) {
      document.head.append(element);
      sheets.set(this.#id, { element, users: 1 });
    } else {
      sheet.element.replaceWith(element);
      sheet.element = element;
      if (!this.#used) sheet.users += 1;
    }
    this.#used = true;
  }

  dispose(): void {
    const sheet = sheets.get(this.#id);
    if (!this.#used || sheet === undefined) return;
    this.#used = false;
    sheet.users -= 1;
    if (sheet.users > 0) return;
    sheet.element.remove();
    sheets.delete(this.#id);
  }
}

function elementFor(css: string): HTMLElement {
  if (!isAddress(css)) {
    const style = document.createElement('style');
    style.textContent = css;
    return style;
  }
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = css;
  return link;
}
