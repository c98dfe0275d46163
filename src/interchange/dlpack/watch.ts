/**
 * Follows the tensors of an array for its inspector: exported, consumed, deleted (rules 164 to 176), by JavaScript, Python or native code.
 * Native code logs them (native/dlpack/export_log.h); without an inspector this costs an export one check. Keeps neither capsules nor
 * memory alive.
 */

import type { Storage } from '../../memory/storage.ts';
import { look } from '../../core/look.ts';
import type { NativeExport } from '../../native/observation-binding.ts';
import { native } from '../../native/load.ts';

export type CapsuleState = 'exported' | 'consumed' | 'deleted';

/** The ways in which a consumer obtains an owned tensor. */
const TENSOR_WAYS = ['javascript', 'python', 'python-table', 'native-table'] as const;
type TensorWay = (typeof TENSOR_WAYS)[number];

export interface CapsuleReport {
  readonly id: number;
  /** The capsule's current name in Python; the struct's name if a tensor was passed without a capsule. */
  readonly name: string;
  readonly state: CapsuleState;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True for a tensor over a copy, which does not hold the storage. */
  readonly copied: boolean;
  /** The interface used: `__dlpack__` of JavaScript or Python, or the exchange table of either. */
  readonly way: TensorWay;
  /** The Python module that requested it; empty if unknown. */
  readonly asker: string;
}

export interface Capsules {
  /** The latest 32 reports, oldest first. */
  readonly reports: readonly CapsuleReport[];
  /** The number of tensors that hold the memory without a report: created before the watch, or dropped from the list. */
  readonly others: number;
}

/** Watches the tensors over one storage; those made before the watch are only counted. It must be disposed. */
export class CapsuleWatch {
  readonly #id: number;
  #reported = '';
  #disposed = false;

  /** Starts the watch. @throws FreedError */
  constructor(storage: Storage) {
    this.#id = native().exports.follow(look(() => storage.native));
  }

  report(): Capsules {
    const capsules = this.#read();
    this.#reported = summaryOf(capsules);
    return capsules;
  }

  /** Whether the last report is out of date. Must be polled, because consumers send no notification. */
  get changed(): boolean {
    return summaryOf(this.#read()) !== this.#reported;
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    native().exports.unfollow(this.#id);
  }

  #read(): Capsules {
    if (this.#disposed) return { reports: [], others: 0 };
    const { exports } = native();
    const reports = exports.read(this.#id, 0).flatMap(reportOf);
    const holding = reports.filter(({ state, copied }) => state !== 'deleted' && !copied).length;
    return { reports, others: Math.max(exports.countOut(this.#id) - holding, 0) };
  }
}

function reportOf(exported: NativeExport): CapsuleReport[] {
  const { number: id, madeAt: at, copied, asker, taken, endNumber, refusal } = exported;
  const way = TENSOR_WAYS.find(known => known === exported.way);
  if (refusal !== '' || way === undefined) return [];
  const state = endNumber > 0 ? 'deleted' : taken ? 'consumed' : 'exported';
  return [{ id, name: nameOf(exported), state, at, copied, way, asker }];
}

function nameOf({ way, versioned, taken }: NativeExport): string {
  if (way === 'python-table' || way === 'native-table') return 'DLManagedTensorVersioned';
  return `${taken ? 'used_' : ''}${versioned ? 'dltensor_versioned' : 'dltensor'}`;
}

function summaryOf({ reports, others }: Capsules): string {
  return [others, ...reports.map(({ id, name, state }) => `${id} ${name} ${state}`)].join();
}
