import { jest } from '@jest/globals';
import { descriptorJson } from '../../../labextension/src/views/array/actions.ts';
import { copyText } from '../../../labextension/src/views/kit/clipboard.ts';
import { live } from '../fixtures.ts';

const setClipboard = (value: unknown): void => {
  Object.defineProperty(navigator, 'clipboard', { value, configurable: true });
};

afterEach(() => {
  setClipboard(undefined);
  Reflect.deleteProperty(document, 'execCommand');
});

test('the descriptor is its keys and their values, without derived rows', () => {
  expect(Object.keys(JSON.parse(descriptorJson(live)) as object)).toEqual([
    'shape',
    'typestr',
    'data',
    'version',
    'strides',
    'stream'
  ]);
});

test('the clipboard gets the text', async () => {
  const writeText = jest.fn(() => Promise.resolve());
  setClipboard({ writeText });
  await copyText('{}');
  expect(writeText).toHaveBeenCalledWith('{}');
});

test('over plain http the copy command is used instead', async () => {
  const setData = jest.fn();
  document.execCommand = () => {
    const event = new Event('copy', { cancelable: true });
    Object.assign(event, { clipboardData: { setData } });
    return document.dispatchEvent(event);
  };
  await copyText('{}');
  expect(setData).toHaveBeenCalledWith('text/plain', '{}');
});

test('a browser that allows neither is an error with a sentence', async () => {
  document.execCommand = () => false;
  await expect(copyText('{}')).rejects.toThrow('did not allow');
});
