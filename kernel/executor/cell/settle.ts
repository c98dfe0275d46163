/** Waits for what cells leave behind when they end. */

import { setImmediate, setTimeout } from 'node:timers/promises';

/** What keeps a program of the user's own from ending. The kernel itself has pipes and ports open. */
const WORK = new Set([
  ...['Timeout', 'Immediate', 'ProcessWrap', 'TCPSocketWrap', 'TCPServerWrap', 'TLSWrap'],
  ...['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap']
]);
const PERIOD_MS = 10;

/** Resolves once forgotten rejections were told, and with `work` when nothing runs that would keep a program from ending. */
export async function settle(work: boolean): Promise<void> {
  await setImmediate();
  while (work && process.getActiveResourcesInfo().some(resource => WORK.has(resource)))
    await setTimeout(PERIOD_MS, undefined, { ref: false });
  await setImmediate();
}
