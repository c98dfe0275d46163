/** The module `tslab` for notebooks that were written for tslab: its displays and versions. */

import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { display as show } from '../../src/notebook/display.ts';

/** Versions: of tslab, whose functions these are, and of what runs and checks the cells. */
export const versions = {
  tslab: '1.0.22',
  typescript: (createRequire(import.meta.url)('ts7/package.json') as { version: string }).version,
  node: process.version
};

/** Functions that show texts and bytes as one MIME type. */
export interface Display {
  /** Runs JavaScript in the page. */
  javascript(source: string): void;
  html(source: string): void;
  markdown(source: string): void;
  latex(source: string): void;
  svg(source: string): void;
  png(bytes: Uint8Array): void;
  jpeg(bytes: Uint8Array): void;
  gif(bytes: Uint8Array): void;
  pdf(bytes: Uint8Array): void;
  text(text: string): void;
  /** Shows a text or bytes as any MIME type. */
  raw(type: string, content: string | Uint8Array): void;
}

/** Shows texts and bytes in the running cell. */
export const display: Display = displayOf((type, content) => void show({ [type]: content }, { raw: true }));

/** Makes a display whose content is replaced each time: the first call shows it in the running cell. */
export function newDisplay(): Display {
  const displayId = randomUUID();
  let update = false;
  return displayOf((type, content) => {
    void show({ [type]: content }, { raw: true, displayId, update });
    update = true;
  });
}

function displayOf(raw: Display['raw']): Display {
  return {
    javascript: source => raw('text/javascript', source),
    html: source => raw('text/html', source),
    markdown: source => raw('text/markdown', source),
    latex: source => raw('text/latex', source),
    svg: source => raw('image/svg+xml', source),
    png: bytes => raw('image/png', bytes),
    jpeg: bytes => raw('image/jpeg', bytes),
    gif: bytes => raw('image/gif', bytes),
    pdf: bytes => raw('application/pdf', bytes),
    text: text => raw('text/plain', text),
    raw
  };
}
