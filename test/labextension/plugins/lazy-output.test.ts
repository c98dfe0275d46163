import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { LazyOutput } from '../../../labextension/src/plugins/lazy-output.ts';

class Drawn extends Widget implements IRenderMime.IRenderer {
  readonly models: unknown[] = [];

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.models.push(model.data);
    return Promise.resolve();
  }
}

const modelOf = (text: string): IRenderMime.IMimeModel => ({ data: { text } }) as never;

test('the code is loaded with the first model, once, and the models are drawn one after the other', async () => {
  let loads = 0;
  const drawn = new Drawn();
  const output = new LazyOutput(() => {
    loads += 1;
    return Promise.resolve(drawn);
  });
  expect(loads).toBe(0);
  await Promise.all([output.renderModel(modelOf('first')), output.renderModel(modelOf('second'))]);
  expect([loads, drawn.models]).toEqual([1, [{ text: 'first' }, { text: 'second' }]]);
  expect(drawn.parent).toBe(output);
  output.dispose();
  expect(drawn.isDisposed).toBe(true);
});

test('an output that is disposed before its code has loaded draws nothing and leaves nothing behind', async () => {
  const code = Promise.withResolvers<IRenderMime.IRenderer>();
  const drawn = new Drawn();
  const output = new LazyOutput(() => code.promise);
  const rendered = output.renderModel(modelOf('late'));
  output.dispose();
  code.resolve(drawn);
  await rendered;
  expect([drawn.models, drawn.isDisposed]).toEqual([[], true]);
});

test('code that failed to load is requested again by the next model', async () => {
  const drawn = new Drawn();
  const answers = [Promise.reject<IRenderMime.IRenderer>(new Error('offline')), Promise.resolve(drawn)];
  const output = new LazyOutput(() => answers.shift()!);
  await expect(output.renderModel(modelOf('lost'))).rejects.toThrow('offline');
  await output.renderModel(modelOf('again'));
  expect(drawn.models).toEqual([{ text: 'again' }]);
});
