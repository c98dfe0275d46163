/** The static picture of a stream: our MIME type, HTML and text. */

import { bold, code, escape, htmlDetails, htmlTable } from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { formatDuration } from '../../base/time-text.ts';
import type { StreamOperation, StreamPicture } from './schema.ts';

function headline({ label, device, simulated, condition }: StreamPicture): string {
  return `${label} on ${device}${simulated ? ' (simulated)' : ''}: ${condition}`;
}

function facts(picture: StreamPicture): (readonly [name: string, value: string])[] {
  const { handle, owned, blocking, priority, submitted, completed, waits, waitsFor, problem } = picture;
  return [
    ['handle', handle],
    ['flags', `${blocking ? 'blocking' : 'non-blocking'}, ${owned ? 'created here' : 'external'}`],
    ['priority', String(priority)],
    ['operations', `${submitted} submitted, ${completed} complete`],
    [
      'waits',
      [String(waits), ...waitsFor.map(({ label, sequence }) => `for operation ${sequence} of ${label}`)].join(
        ', '
      )
    ],
    ...(problem === null ? [] : [['error', problem] as const])
  ];
}

function took({ duration }: StreamOperation): string {
  return duration === null ? 'not done' : formatDuration(duration);
}

function renderHtml(picture: StreamPicture): string {
  const operations = picture.operations.map(operation => [
    String(operation.number),
    code(operation.name),
    escape(operation.kind),
    escape(formatBytes(operation.bytes)),
    escape(took(operation)),
    escape(operation.cell ?? '')
  ]);
  const table = htmlTable(['#', 'operation', 'kind', 'size', 'duration', 'cell'], operations);
  return htmlDetails(
    headline(picture),
    htmlTable(
      [],
      facts(picture).map(([name, value]) => [bold(name), code(value)])
    ) + (operations.length === 0 ? '' : `<p>Latest operations in the trace:</p>${table}`)
  );
}

function renderText(picture: StreamPicture): string {
  return [
    headline(picture),
    ...facts(picture).map(([name, value]) => `  ${name.padEnd(10)}  ${value}`),
    ...picture.operations.map(operation => `  #${operation.number} ${operation.name}, ${took(operation)}`)
  ].join('\n');
}

export function renderStream(picture: StreamPicture): PictureTexts {
  return { html: renderHtml(picture), text: renderText(picture) };
}
