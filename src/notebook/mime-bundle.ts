/** Checks external MIME bundles: converts what Jupyter's messages can carry, and reports what they cannot. */

import type { MimeBundle } from './host.ts';

const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+(;.*)?$/;

/** Returns the bundle as messages carry it: bytes in base64, lines joined. @throws TypeError naming the wrong entry */
export function checkedBundle(bundle: unknown): MimeBundle {
  if (typeof bundle !== 'object' || bundle === null || Array.isArray(bundle))
    throw new TypeError(`A MIME bundle is an object of MIME types and contents, not ${kindOf(bundle)}`);
  const checked: Record<string, unknown> = {};
  for (const [type, content] of Object.entries(bundle)) {
    if (content === undefined) continue;
    if (!MIME_TYPE.test(type))
      throw new TypeError(`"${type}" is not a MIME type; bundles look like { 'text/html': '<b>…</b>' }`);
    checked[type] = checkedContent(type, content);
  }
  return checked;
}

function checkedContent(type: string, content: unknown): unknown {
  if (/[/+]json\b/.test(type)) return checkedJson(type, content);
  if (typeof content === 'string') return content;
  if (content instanceof Uint8Array) return Buffer.from(content).toString('base64');
  if (Array.isArray(content) && content.every(line => typeof line === 'string')) return content.join('');
  throw new TypeError(`The content of ${type} is text or bytes, not ${kindOf(content)}`);
}

function checkedJson(type: string, content: unknown): unknown {
  let text: string | undefined;
  let reason = '';
  try {
    text = JSON.stringify(content);
  } catch (error) {
    reason = `: ${(error as Error).message.split('\n')[0]}`;
  }
  if (text === undefined) throw new TypeError(`The content of ${type} cannot be written as JSON${reason}`);
  return content;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of the type ${typeof value}`;
}
