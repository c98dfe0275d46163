import { SetupFailure } from '../../scripts/setup/failure.mjs';
import { together } from '../../scripts/setup/together.mjs';

const fails = (error: Error): Promise<never> => Promise.reject(error);

test('all steps end before a failure is reported', async () => {
  let finish = (): void => {};
  let reported = false;
  const slow = new Promise<void>(resolve => (finish = resolve));
  const both = together(fails(new SetupFailure('no network')), slow).catch((error: unknown) => {
    reported = true;
    return error;
  });
  await new Promise(resolve => setImmediate(resolve));
  expect(reported).toBe(false);
  finish();
  expect(await both).toEqual(new SetupFailure('no network'));
});

test('two failures are reported as one', async () => {
  const both = together(fails(new SetupFailure('no npm')), fails(new SetupFailure('no pip')));
  await expect(both).rejects.toThrow('no npm\n\nno pip');
  await expect(both).rejects.toBeInstanceOf(SetupFailure);
});

test('an error of the set-up itself is thrown as it is', async () => {
  const bug = new TypeError('undefined is not a function');
  await expect(together(fails(new SetupFailure('no npm')), fails(bug))).rejects.toBe(bug);
});

test('steps that succeed, or none, report nothing', async () => {
  await together(Promise.resolve(1), Promise.resolve(2));
  await together();
});
