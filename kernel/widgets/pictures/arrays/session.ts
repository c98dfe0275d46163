/** The kernel half of one page's sidebar: watches arrays while the panel is visible, and carries out the actions of its rows. */

import type { NDArray } from '../../../../src/array/array.ts';
import { Device, toDevice } from '../../../../src/core/device.ts';
import { Stream } from '../../../../src/core/stream.ts';
import { LEAST_POLL_PERIOD } from '../../../../src/pictures/arrays/schema.ts';
import type { Parameters, PicturePush } from '../../../../src/pictures/kit/live-messages.ts';
import type { Comm, CommMessage } from '../../model/comm-manager.ts';
import { answerRequest } from '../kit/requests.ts';
import {
  freeArrays,
  pictureOf,
  requireArray,
  summaryOf,
  synchronizeDevice,
  synchronizeStream
} from './actions.ts';
import { findArrays } from './scan.ts';
import { Watch } from './watch.ts';

/** Default polling interval of all arrays, in ms. */
const POLL_PERIOD = 2000;

export class ArraysSession {
  readonly #comm: Comm;
  #watch: Watch | null = null;

  constructor(comm: Comm) {
    this.#comm = comm;
    comm.onMessage = message => void this.receive(message);
    comm.onClose = () => this.#end();
  }

  receive({ data }: CommMessage): Promise<void> {
    return answerRequest(
      data,
      async (method, parameters) => {
        const content = await this.#perform(method, parameters);
        return content && { content };
      },
      response => this.#comm.send({ ...response })
    );
  }

  /** Performs a request; undefined for an unknown method. */
  async #perform(method: string, parameters: Parameters): Promise<Parameters | undefined> {
    switch (method) {
      case 'watch':
        this.#end();
        if (parameters['visible'] === true) this.#begin(parameters['period']);
        return {};
      case 'refresh':
        this.#watch?.lookAnew();
        return {};
      case 'summary':
        return { ...summaryOf((await findArrays()).found.keys()) };
      case 'inspect':
        return { bundle: pictureOf(this.#subject(parameters)) };
      case 'synchronize':
        return { microseconds: await this.#synchronize(parameters) };
      case 'free': {
        const { found } = await findArrays();
        const { ids } = parameters;
        const chosen = Array.isArray(ids)
          ? ids.map(id => this.#watch?.ledger.array(Number(id)))
          : found.keys();
        const outcome = freeArrays(chosen, found);
        this.#watch?.lookAnew();
        return { ...outcome };
      }
      default:
        return undefined;
    }
  }

  /** Returns the object that a row represents. */
  #subject({ id, device, stream }: Parameters): NDArray | Device | Stream {
    if (typeof device === 'string') return toDevice(device);
    if (stream === undefined) return requireArray(this.#watch?.ledger.array(Number(id)));
    const found = this.#watch?.ledger.stream(Number(stream));
    if (found === undefined) throw new Error('No array uses this stream any more.');
    return found;
  }

  async #synchronize(parameters: Parameters): Promise<number> {
    const subject = this.#subject(parameters);
    if (subject instanceof Stream) return synchronizeStream(subject);
    if (subject instanceof Device) return synchronizeDevice(subject, (await findArrays()).found.keys());
    return synchronizeStream(subject.stream);
  }

  #begin(period: unknown): void {
    const wanted = typeof period === 'number' ? period : POLL_PERIOD;
    this.#watch = new Watch(Math.max(LEAST_POLL_PERIOD, wanted), change => {
      const push: PicturePush = { kind: 'push', content: { ...change } };
      this.#comm.send({ ...push });
    });
  }

  #end(): void {
    this.#watch?.end();
    this.#watch = null;
  }
}
