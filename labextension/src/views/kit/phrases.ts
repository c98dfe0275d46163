/** Translated texts of the page. JupyterLab's tools find translatable texts by the function name `__`. */

/** The part of a gettext bundle in use. `%1`, `%2`… in a text are placeholders for the values. */
interface Phrases {
  __(text: string, ...values: (string | number)[]): string;
}

const DOMAIN = 'stridelab';

const english: Phrases = {
  __: (text, ...values) =>
    text.replace(/%(\d+)/g, (placeholder, number) => String(values[Number(number) - 1] ?? placeholder))
};

let inUse = english;

/** Sets the page's language from JupyterLab's translator; pages without one are in English. */
export function useTranslator(translator: { load(domain: string): Phrases } | null | undefined): void {
  inUse = translator?.load(DOMAIN) ?? english;
}

/** Translates a text to the page's language. `%1`, `%2`… in it are placeholders for the values. */
export function __(text: string, ...values: (string | number)[]): string {
  return inUse.__(text, ...values);
}

/** Formats a count with the digit groups of the reader's language: `2,097,152`. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}

export function lostSentence(): string {
  return __(
    'The server connection is lost. Updates resume when it is back; Kernel > Reconnect to Kernel retries now.'
  );
}
