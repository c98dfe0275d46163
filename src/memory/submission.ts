/** Submissions and what the arrays' own books have of them. */

import { HazardError } from '../base/errors.ts';

/**
 * Calls `submit`, then `note` unless nothing was submitted (`false`). Also where hazard detection throws, for the work was
 * submitted all the same.
 */
export function submitNoted<Result extends boolean | void>(submit: () => Result, note: () => void): Result {
  let submitted: Result;
  try {
    submitted = submit();
  } catch (error) {
    if (error instanceof HazardError) note();
    throw error;
  }
  if (submitted !== false) note();
  return submitted;
}
