/** Waits for work that cells leave behind when they end. */

import { setImmediate, setTimeout } from 'node:timers/promises';

/** Resources that keep a user's program running. The kernel itself has open pipes and ports. */
const WORK = new Set([
  ...['Timeout', 'Immediate', 'ProcessWrap', 'TCPSocketWrap', 'TCPServerWrap', 'TLSWrap'],
  ...['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap']
]);
const PERIOD_MS = 10;

/** Resolves once unhandled rejections have been reported; with `work`, once nothing is left that would keep a program running. */
export async function settle(work: boolean): Promise<void> {
  await setImmediate();
  while (work && process.getActiveResourcesInfo().some(resource => WORK.has(resource)))
    await setTimeout(PERIOD_MS, undefined, { ref: false });
  await setImmediate();
}
