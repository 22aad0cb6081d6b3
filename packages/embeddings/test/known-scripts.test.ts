import { expect, it, test } from 'vitest';
import { scriptsKnownBy } from '../src/onnx/known-scripts.ts';

const letters = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => String.fromCharCode(from + at));
const HAN = letters(0x4e00, 3_000);
const vocabOf = (tokens: readonly string[]) => Object.fromEntries(tokens.map((token, at) => [token, at]));
const english = scriptsKnownBy({
  model: { vocab: vocabOf(['send', '##ing', ...HAN.slice(0, 500), 'п', 'р']) },
});
const multilingual = scriptsKnownBy({ model: { vocab: HAN.map((token) => [`\u2581${token}`, -1]) } });

test.each([
  ['Send a mail', true],
  ['Überweise 100 € für Zoë, naïve façade', true],
  ['Read the file 报告.txt in the folder', true],
  ['', true],
  ['请帮我发送一封邮件', false],
  ['отправить письмо', false],
  ['메일을 보내 줘', false],
])('a model with an English vocabulary and %j: %s', (text, isKnown) => {
  expect(english(text)).toBe(isKnown);
});

it('knows a script that its vocabulary has many tokens of', () => {
  expect([multilingual('请帮我发送一封邮件'), multilingual('메일을 보내 줘')]).toEqual([true, false]);
});

it('takes a tokenizer of bytes to know every script, and a strange file to know only Latin', () => {
  expect(scriptsKnownBy({ pre_tokenizer: { type: 'ByteLevel' }, model: { vocab: {} } })('发送邮件')).toBe(
    true,
  );
  for (const model of [{}, { vocab: 7 }, { vocab: [null, [1], 'x'] }])
    expect([scriptsKnownBy({ model })('发送邮件'), scriptsKnownBy({ model })('mail')]).toEqual([false, true]);
});
