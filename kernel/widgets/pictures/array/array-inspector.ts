/** The kernel half of the live array widget: describes an array whenever it is used, and while its streams are busy. */

import type { NDArray } from '../../../../src/array/array.ts';
import { describeArray, describeFreed } from '../../../../src/pictures/array/describe.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import { variableNames } from '../../../../src/pictures/kit/names.ts';
import { renderArray } from '../../../../src/pictures/array/render.ts';
import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { capsuleRows } from '../../../../src/pictures/array/dlpack-rows.ts';
import { CapsuleWatch } from '../../../../src/interchange/dlpack/watch.ts';
import { widgetHost } from '../../model/host.ts';
import { answerLook } from './array-requests.ts';
import { ArrayStatistics } from './array-statistics.ts';
import { answerComparison } from './compared-arrays.ts';
import { LiveWidget } from '../kit/live-widget.ts';
import { walkArrays } from '../kit/walk.ts';
import type { Reply } from '../kit/requests.ts';
import { WatchedArray } from './watched-array.ts';

/** Polling interval of a busy stream, in ms; the device does not signal its end. */
const BUSY_PERIOD_MS = 100;
/** Polling interval of capsules, in ms; consumers take and delete tensors without a signal. */
const CAPSULE_PERIOD_MS = 250;

export class ArrayInspector extends LiveWidget<ArrayDescription> {
  /** Weak: the widget does not keep the memory alive. */
  readonly #array: WatchedArray;
  /** Undefined after a use while the picture was not watched. */
  #unsubscribe: (() => void) | undefined;
  readonly #statistics: ArrayStatistics;
  readonly #capsules: CapsuleWatch | null;
  #names: readonly string[];

  /** Constructs the widget without waiting for pending work: values appear once they are computed. */
  constructor(array: NDArray) {
    const first = describeArray(array);
    const capsules = array.freed ? null : new CapsuleWatch(array.storage);
    const names = namesOf(array);
    super(PRESENTATION, withCapsules({ ...first, names }, capsules));
    this.#names = names;
    this.#capsules = capsules;
    this.#array = new WatchedArray(array);
    this.#statistics = new ArrayStatistics(first.statistics, () => {
      if (!this.closed) this.refresh();
    });
    this.#follow(array);
    const end = widgetHost().onCellEnd(() => this.#findName());
    this.on('close', () => {
      end();
      this.#unfollow();
      this.#capsules?.[Symbol.dispose]();
    });
  }

  protected override describe(): ArrayDescription {
    const array = this.#array.current;
    if (array === undefined) {
      this.#unfollow();
      return withCapsules(describeFreed(this.picture), this.#capsules);
    }
    const described = describeArray(array, { statistics: this.#statistics.describe(array) });
    const description = withCapsules({ ...described, names: this.#names }, this.#capsules);
    // After the description, which would count the measurement as pending work.
    const early = array.freed || !this.watched ? 0 : this.#statistics.follow(array);
    if (isBusy(description)) this.schedule(BUSY_PERIOD_MS);
    else if (early > 0) this.schedule(early);
    return description;
  }

  protected override watching(watched: boolean): void {
    const hasMissed = this.#unsubscribe === undefined;
    const array = this.#array.current;
    if (watched && array !== undefined) this.#follow(array);
    if (watched) this.#findName();
    if (watched && (hasMissed || isBusy(this.picture))) this.refresh();
    if (watched) this.#checkCapsules();
    if (this.#capsules !== null) this.poll(CAPSULE_PERIOD_MS, () => this.#checkCapsules());
  }

  protected override async answer(method: string, parameters: Parameters): Promise<Reply | undefined> {
    const array = this.#array.current;
    const alive = array !== undefined && !array.freed;
    switch (method) {
      case 'synchronize':
        if (alive) await array.synchronizeAsync();
        break;
      case 'measure':
        if (alive) await this.#statistics.measure(array);
        return {};
      default:
        // The picture also shows that the array was freed.
        if (!alive) this.refresh();
        return answerComparison(method, parameters) ?? answerLook(array, method, parameters);
    }
    this.refresh();
    return {};
  }

  /** Updates the names: a cell may have assigned the array to a variable. */
  #findName(): void {
    const array = this.#array.current;
    if (!this.watched || array === undefined || array.freed) return;
    const names = namesOf(array);
    if (names.join() === this.#names.join()) return;
    this.#names = names;
    this.schedule();
  }

  /** Follows uses; an unwatched picture follows only the next one, which makes it stale, so that later uses cost nothing. */
  #follow(array: NDArray): void {
    this.#unsubscribe ??= array.onUse(() => {
      this.#statistics.noteUse();
      this.schedule();
      if (!this.watched) this.#unfollow();
    });
  }

  #unfollow(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #checkCapsules(): void {
    if (this.#capsules?.changed === true) this.schedule();
  }
}

const PRESENTATION = {
  name: 'ArrayInspector',
  label: ({ names, dtype, shape }: ArrayDescription) => names?.[0] ?? `${dtype} (${shape.join(', ')})`,
  render: renderArray
};

function withCapsules(description: ArrayDescription, watch: CapsuleWatch | null): ArrayDescription {
  return { ...description, capsules: watch === null ? null : capsuleRows(watch.report()) };
}

function isBusy(description: ArrayDescription): boolean {
  return description.streams.some(stream => stream.state === 'busy');
}

/** Returns the names of the array's variables; if there are none, a path to it inside a variable, whose search may take long. */
function namesOf(array: NDArray): readonly string[] {
  const names = variableNames(array, widgetHost().variables());
  if (names.length > 0) return names;
  for (const found of walkArrays(widgetHost().eachVariable(), { truncated: false }))
    if (found?.array === array) return [found.name];
  return [];
}
