import { describe, expect, test } from 'vitest';
import { splitWords, tokenize, tokenizeQuery } from '../src/text/tokenize.ts';

describe('tokens of a text', () => {
  test.each([
    ['camelCase and snake_case are split and kept whole', 'getUser_byId', 'get user by id getuserbyid'],
    ['capitals in a row are one part', 'HTTPServer', 'http server httpserver'],
    ['the plural of an abbreviation is no hump', 'list VMs and PRs', 'list vm and pr'],
    ['two underscores join a server and its tool', 'tmdb__get_movie', 'tmdb get movi tmdbgetmovi'],
    [
      'dots, slashes, dashes and colons join',
      'math.add a/b web-page ns:op',
      'math add mathadd ab web page webpag ns op nsop',
    ],
    [
      'a full stop at the end of a sentence does not',
      'Opens a file.Then reads',
      'open a file then filethen read',
    ],
    ['a letter and a digit stay together', 's3 k8s ec2_list', 's3 k8 ec2 list ec2list'],
    ['letters next to digits are found without them', 'base64 python3', 'base64 base python3 python'],
    ['dates are numbers, not names', '2024-01-02', '2024 01 02'],
    ['single letters say nothing inside an identifier', 'x_axis', 'axi xaxi'],
    ['words are stemmed', 'creating repositories connected', 'creat repositori connect'],
    ['short words of other scripts are stemmed down to three letters', 'дома коты', 'дом кот'],
    ['news is not new', 'news new', 'news new'],
    ['accents fold', 'Événement über São', 'even uber sao'],
    ['letters without a decomposition fold', 'Straße Øl Łódź', 'strass ol lodz'],
    ['full-width forms fold', 'ＦＵＬＬ　ｗｉｄｔｈ', 'full width'],
    ['Chinese gives pairs of characters, and single ones', '创建分支', '创建 建分 分支 创 建 分 支'],
    ['Chinese particles and pronouns are only parts of pairs', '我的票', '我的 的票 票'],
    ['traditional and simplified Chinese fold', '查詢訂單', '查询 询订 订单 查 询 订 单'],
    ['traditional particles are particles, too', '請幫們', '请帮 帮们'],
    ['Japanese gives pairs, and its Chinese characters', 'メールを送信', 'メー ール ルを を送 送信 送 信'],
    ['one character alone stays', '票', '票'],
    ['Latin inside Chinese is a word', '新的GitHub议题', '新的 新 git hub 议题 议 题 github'],
    ['Russian endings are taken off', 'создать задачу задачи', 'созд задач задач'],
    ['either apostrophe breaks a word', 'курʼєра кур’єра', 'кур єра кур єра'],
    ['an emoji is no word', 'party 🎉 time', 'parti time'],
    ['a lone surrogate is no letter', 'up\ud800load', 'up load upload'],
    ['nothing gives nothing', '  …!? ', ''],
  ])('%s', (_, text, tokens) => {
    expect(tokenize(text).join(' ')).toBe(tokens);
  });

  test('a word as long as a book is cut, not read', () => {
    expect(tokenize('x'.repeat(1_000_000)).join('').length).toBeLessThan(200);
  });
});

describe('tokens of a query', () => {
  test('leave stop words out', () => {
    expect(tokenizeQuery('please show me the list of my branches')).toEqual(['show', 'list', 'branch']);
  });

  test('are the stop words when there is nothing else', () => {
    expect(tokenizeQuery('who am i')).toEqual(['who', 'am', 'i']);
  });

  test.each(['db', 'pr', 'ci', 's3', 'k8s', 'id', 'ip', 'ui', 'vm', 'os'])('keep %s', (word) => {
    expect(tokenizeQuery(`the ${word}`)).toHaveLength(1);
  });
});

test('words are given as they are written', () => {
  expect(splitWords('Call get_user(id), e.g. "a__b"; don’t—ever')).toEqual([
    'Call',
    'get_user',
    'id',
    'e.g',
    'a__b',
    'don',
    't',
    'ever',
  ]);
});
