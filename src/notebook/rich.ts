/** Values with explicit MIME bundles. */

import {
  DISPLAY_METHOD,
  type Displayable,
  type DisplayResult,
  type MimeBundle,
  type MimeMetadata
} from './host.ts';

/** A value with explicit representations by MIME type. */
export class Rich implements Displayable {
  /** The representations by MIME type. */
  readonly data: MimeBundle;
  /** The metadata by MIME type. */
  readonly metadata: MimeMetadata;

  constructor(data: MimeBundle, metadata: MimeMetadata = {}) {
    this.data = data;
    this.metadata = metadata;
  }

  [DISPLAY_METHOD](): DisplayResult {
    return [this.data, this.metadata];
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return printed(this.data);
  }
}

/** Returns the text of a bundle; its MIME types if it has none. */
export function printed(data: MimeBundle): string {
  const text = data['text/plain'];
  return typeof text === 'string' ? text : `[${Object.keys(data).join(', ')}]`;
}

/** Makes a formula of LaTeX, drawn by MathJax: `latex('\\frac{1}{2}')`. Without `$` or `\(` it becomes a display equation. */
export function latex(source: string): Rich {
  const delimited = /^\s*(\$|\\\(|\\\[|\\begin)/.test(source) ? source : `$$${source}$$`;
  return new Rich({ 'text/latex': delimited, 'text/plain': source });
}

/** Makes JavaScript that the page runs when it is displayed, if the notebook is trusted. */
export function javascript(source: string): Rich {
  return new Rich({ 'application/javascript': source, 'text/plain': source });
}

/** Makes a foldable tree of JSON. `expanded` unfolds all of it; `root` names its root. */
export function json(value: unknown, { expanded = false, root = 'root' } = {}): Rich {
  // Copied now: the tree shows the value at this time, even if it changes later.
  const content: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  const metadata = { 'application/json': { expanded, root } };
  return new Rich({ 'application/json': content, 'text/plain': JSON.stringify(content, null, 2) }, metadata);
}
