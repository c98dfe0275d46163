/** The static picture of a device: our MIME type, HTML and text. */

import { bold, code, escape, htmlDetails, htmlTable, textTable } from '../kit/html.ts';
import type { PictureTexts } from '../kit/live-messages.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import type { DevicePicture } from './schema.ts';

function headline({ label, name, slice, simulated }: DevicePicture): string {
  const kind = simulated === null ? '' : ' (simulated)';
  return `${label}${kind} ${name}${slice === null ? '' : `, MIG slice ${slice}`}`;
}

function memoryText({ memory, problem }: DevicePicture): string {
  if (memory === null) return `The driver does not respond: ${problem ?? ''}`;
  const { total, free, ours, waiting = 0 } = memory;
  const others = Math.max(total - free - ours - waiting, 0);
  const released = waiting > 0 ? `${formatBytes(waiting)} pending release, ` : '';
  return `${formatBytes(ours)} in blocks of this process, ${released}${formatBytes(others)} reserved by pools, contexts and other processes, ${formatBytes(free)} free of ${formatBytes(total)}`;
}

function simulatedText({ simulated }: DevicePicture): string {
  return simulated === null
    ? ''
    : `Simulated in host memory. Schedule ${simulated.schedule}: ${simulated.meaning}`;
}

function renderHtml(picture: DevicePicture): string {
  const facts = picture.facts.map(({ name, value, meaning }) => [bold(name), code(value), escape(meaning)]);
  const libraries = picture.libraries.map(({ name, state, version, detail, purpose }) => [
    bold(name),
    escape(`${state} ${version}`.trim()),
    `${code(detail)} ${escape(purpose)}`
  ]);
  const peers = picture.peers.map(({ label, name, reach, reached }) => [
    bold(label),
    escape(`${reach} / ${reached}`),
    escape(name)
  ]);
  return htmlDetails(
    headline(picture),
    [
      `<p>${code(picture.uuid)}</p>`,
      picture.simulated === null ? '' : `<p>${escape(simulatedText(picture))}</p>`,
      `<p>${bold('Memory:')} ${escape(memoryText(picture))}, managed by ${picture.manager.map(code).join(' over ')}</p>`,
      htmlTable([], [...facts, ...libraries]),
      peers.length === 0
        ? ''
        : `<p>Peer access:</p>${htmlTable(['device', 'access to / from', 'name'], peers)}`
    ].join('')
  );
}

function renderText(picture: DevicePicture): string {
  const { facts, libraries, peers } = picture;
  const table = textTable([
    ['Memory', memoryText(picture)],
    ['Memory manager', picture.manager.join(' over ')],
    ...facts.map(({ name, value, meaning }) => [name, `${value}  ${meaning}`]),
    ...libraries.map(({ name, state, version, detail }) => [
      name,
      `${`${state} ${version}`.trim()}: ${detail}`
    ]),
    ...peers.map(({ label, reach, reached }) => [label, `access to / from: ${reach} / ${reached}`])
  ]);
  const simulated = picture.simulated === null ? [] : [simulatedText(picture)];
  const lines = [picture.uuid, ...simulated, ...table].map(line => `  ${line}`);
  return [headline(picture), ...lines].join('\n');
}

export function renderDevice(picture: DevicePicture): PictureTexts {
  return { html: renderHtml(picture), text: renderText(picture) };
}
