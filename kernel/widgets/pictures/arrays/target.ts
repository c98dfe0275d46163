/** The comm target of the sidebar. Its implementation is loaded when the first page opens it. */

import { ARRAYS_TARGET } from '../../../../src/pictures/arrays/schema.ts';
import type { CommManager, CommMessage } from '../../model/comm-manager.ts';

export function registerArraysTarget(comms: CommManager): void {
  comms.registerTarget(ARRAYS_TARGET, comm => {
    // Requests that arrive before the session is loaded.
    const early: CommMessage[] = [];
    comm.onMessage = message => void early.push(message);
    void import('./session.ts').then(({ ArraysSession }) => {
      if (comm.closed) return;
      const session = new ArraysSession(comm);
      for (const message of early) void session.receive(message);
    });
  });
}
