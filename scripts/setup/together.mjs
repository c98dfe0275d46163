import { SetupFailure } from './failure.mjs';

/**
 * Waits for steps that run at the same time, all of them even if one fails, so that none is stopped midway. Then throws the
 * failures as one.
 * @param {...Promise<unknown>} steps
 */
export async function together(...steps) {
  const results = await Promise.allSettled(steps);
  const reasons = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
  const bug = reasons.find(reason => !(reason instanceof SetupFailure));
  if (bug !== undefined) throw bug;
  if (reasons.length > 0) throw new SetupFailure(reasons.map(({ message }) => message).join('\n\n'));
}
