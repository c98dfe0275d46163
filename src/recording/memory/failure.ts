/** Explains why a memory request failed, in figures and in a sentence. */

import { OutOfMemoryError } from '../../base/errors.ts';
import { formatBytes } from '../../base/bytes-text.ts';
import { isOutOfMemory } from '../../memory/manager/out-of-memory.ts';
import { currentManager } from '../../memory/registry.ts';
import { holdingsBehind } from './holdings.ts';
import type { ObservedRequest } from '../../memory/manager/observer.ts';
import type { LoggedFailure } from './records.ts';

const UNKNOWN = -1;

/** Explains a failed request. Never throws: a lost device has no figures. */
export function explainFailure(
  { device, bytes }: ObservedRequest,
  error: unknown
): Omit<LoggedFailure, 'cell' | 'stack' | 'moment'> {
  const message = error instanceof Error ? error.message : String(error);
  let [free, pooled, largest] = [UNKNOWN, UNKNOWN, UNKNOWN];
  try {
    const holdings = holdingsBehind(currentManager(device));
    pooled = holdings.holes ?? UNKNOWN;
    largest = holdings.largest ?? UNKNOWN;
    ({ free } = device.memoryInfo());
  } catch {
    // The message is sufficient.
  }
  const figures = { device, bytes, free, pooled, largest, message };
  return { ...figures, reason: reasonOf(figures, error) };
}

function reasonOf(
  { bytes, free, pooled, largest }: { bytes: number; free: number; pooled: number; largest: number },
  error: unknown
): string {
  if (!(error instanceof OutOfMemoryError) && !isOutOfMemory(error)) return 'The memory manager failed.';
  if (free < 0) return 'The device reported no figures.';
  const torn = pooled >= bytes;
  const pieces = `the pools have ${formatBytes(pooled)} free, in holes of at most ${formatBytes(largest)}`;
  if (bytes <= free) {
    const limit = `the manager's limit excludes the ${formatBytes(free)} free on the device`;
    return torn ? `Fragmentation: ${pieces}, and ${limit}.` : `${capital(limit)}.`;
  }
  const more = `the device has ${formatBytes(free)} free`;
  if (torn) return `Fragmentation: ${pieces}, and ${more}.`;
  return pooled > 0 ? `Too large: ${more}, and ${pieces}.` : `Too large: ${more}.`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
