/** The static picture of a launch: HTML that survives notebook sanitizers, and text. Pure. */

import { shorten } from '../../base/short-texts.ts';
import { code, escape, htmlDetails, htmlTable, htmlThatFits, textTable } from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import type { LaunchPicture } from './schema.ts';
import { rowTexts, shapeText, summaryTexts } from './words.ts';

const LONGEST = 120;

const headline = (picture: LaunchPicture): string =>
  `kernel ${picture.kernel}: ${shapeText(picture)}, on ${picture.device}`;

/** Returns the rows as line, text and figures. */
function rowsOf(picture: LaunchPicture): [line: string, text: string, figures: string][] {
  return picture.rows.map(({ line, text }, row) => [
    String(line),
    shorten(text, LONGEST),
    rowTexts(picture, row).join('; ')
  ]);
}

function renderHtml(picture: LaunchPicture): string {
  const rows = rowsOf(picture);
  const faults = picture.faults
    .map(({ message }) => `<p>✕ ${escape(shorten(message, 3 * LONGEST))}</p>`)
    .join('');
  return htmlThatFits(share => {
    const shown = rows.slice(0, Math.max(1, Math.floor(rows.length * share)));
    // Spaces at the start would be lost.
    const cells = shown.map(([line, text, figures]) => [
      line,
      code(text.replace(/^ +/, spaces => '\u00a0'.repeat(spaces.length))),
      escape(figures)
    ]);
    const more = rows.length - shown.length;
    return htmlDetails(
      headline(picture),
      `<p>${escape(summaryTexts(picture).join('. '))}.</p>${faults}${htmlTable(['line', 'source', 'memory of a warp'], cells)}` +
        (more > 0 ? `<p>and ${more} more lines</p>` : '')
    );
  });
}

function renderText(picture: LaunchPicture): string {
  return [
    headline(picture),
    `${summaryTexts(picture).join('. ')}.`,
    ...picture.faults.map(({ message }) => `✕ ${message}`),
    ...textTable(rowsOf(picture)).map(line => `  ${line}`)
  ].join('\n');
}

/** Renders a launch as HTML and as text. The HTML leaves out the last lines of a long kernel. */
export function renderLaunch(picture: LaunchPicture): PictureTexts {
  return { html: renderHtml(picture), text: renderText(picture) };
}
