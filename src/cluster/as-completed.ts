/** Remote values in the order in which their tasks end. */

import type { Remote, RemoteStatus } from './remote.ts';

/** A task that has ended. Unlike its remote value it is no promise, so that `for await` does not fetch the value. */
export class EndedTask<Value> {
  readonly remote: Remote<Value>;
  /** The position among the remote values that were passed to `asCompleted`. */
  readonly index: number;

  /** For `asCompleted`. */
  constructor(remote: Remote<Value>, index: number) {
    this.remote = remote;
    this.index = index;
  }

  /** Dask's key. */
  get key(): string {
    return this.remote.key;
  }

  get status(): RemoteStatus {
    return this.remote.status;
  }

  /** Returns the addresses of the workers that have the value. */
  where(): Promise<string[]> {
    return this.remote.where();
  }

  /** Fetches the value, or rejects with the error of the task, as `Remote.get` does. */
  get(): Promise<Value> {
    return this.remote.get();
  }
}

export async function* asCompleted<Value>(
  remotes: Iterable<Remote<Value>>
): AsyncGenerator<EndedTask<Value>, void, undefined> {
  const ended: EndedTask<Value>[] = [];
  let left = 0;
  let wake = (): void => undefined;
  for (const remote of remotes) {
    const task = new EndedTask(remote, left);
    left += 1;
    void remote.ended().then(() => {
      ended.push(task);
      wake();
    });
  }
  for (; left > 0; left -= 1) {
    if (ended.length === 0) await new Promise<void>(resolve => (wake = resolve));
    yield ended.shift() as EndedTask<Value>;
  }
}
