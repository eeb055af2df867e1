import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { ApiError } from '@/lib/http/api';
import { useLanguage } from '@/lib/i18n/i18n';
import { channel } from '@/test/samples';
import { refusalOf } from './refusal';
import { checkChannel, isValid } from './rules';
import { beforeSeparator, splitList } from './split';
import { type ChannelValues, channelBody, newValues, sameValues, valuesOf } from './values';

const rows = (...texts: string[]) => texts.map((text, i) => ({ key: i + 1, text }));
const values = (change: Partial<ChannelValues> = {}): ChannelValues => ({
  ...newValues(),
  name: 'Night crew',
  on: { ...newValues().on, email: true, phoneMessage: true },
  entries: { ...newValues().entries, email: rows('a@farm.example'), phoneMessage: rows('+905551112233') },
  ...change,
});
const mails = (...texts: string[]) =>
  values({
    on: { ...newValues().on, email: true, phoneMessage: false },
    entries: { ...newValues().entries, email: rows(...texts), phoneMessage: rows('') },
  });
const numbers = (...texts: string[]) =>
  values({
    on: { ...newValues().on, email: false, phoneMessage: true },
    entries: { ...newValues().entries, email: rows(''), phoneMessage: rows(...texts) },
  });

describe('a pasted list', () => {
  it.each([
    ['a@b.example, c@d.example', ['a@b.example', 'c@d.example']],
    ['a@b.example;c@d.example;', ['a@b.example', 'c@d.example']],
    ['a@b.example\r\nc@d.example\n\ne@f.example', ['a@b.example', 'c@d.example', 'e@f.example']],
    ['a@b.example c@d.example', ['a@b.example', 'c@d.example']],
    ['a@b.example，c@d.example；e@f.example', ['a@b.example', 'c@d.example', 'e@f.example']],
    ['Ada Kaya <a@b.example>, "Kaya, Can" <c@d.example>', ['a@b.example', '"Kaya', 'c@d.example']],
    ['a@b.example, a@b.example', ['a@b.example']],
    ['  a@b.example  ', ['a@b.example']],
    ['', []],
  ])('of addresses %j', (text, found) => {
    expect(splitList(text, 'email')).toEqual(found);
  });

  it.each([
    ['a@b.example,', 'a@b.example'],
    [' +90 555 111 22 33 ; ', '+90 555 111 22 33'],
    ['张，', '张'],
    [',', null],
    ['a@b.example', null],
    ['a@b.example, c', null],
  ])('moves on to the next entry after %j', (text, entry) => {
    expect(beforeSeparator(text)).toBe(entry);
  });

  it('of numbers keeps the blanks within them', () => {
    expect(splitList('+90 555 111 22 33, +7 900 123-45-67\n+8613800138000', 'phoneMessage')).toEqual([
      '+90 555 111 22 33',
      '+7 900 123-45-67',
      '+8613800138000',
    ]);
  });
});

describe('the check of a channel', () => {
  it('finds nothing with a name, a kind and recipients', () => {
    expect(isValid(checkChannel(values()))).toBe(true);
    expect(isValid(checkChannel(mails('a@farm.example', '', ' b@farm.example ')))).toBe(true);
    expect(isValid(checkChannel(numbers('+90 (555) 111-22-33', '905551112234', '13800138000')))).toBe(true);
  });

  it.each([
    ['', 'common.nameRequired'],
    ['  ', 'common.nameRequired'],
    ['x'.repeat(65), 'device.form.tooLong'],
  ])('refuses the name %j', (name, key) => {
    expect(checkChannel(values({ name })).name?.key).toBe(key);
  });

  it('accepts a name of 64 characters that are two UTF-16 units each', () => {
    expect(checkChannel(values({ name: '🌾'.repeat(64) })).name).toBeUndefined();
  });

  it('finds a missing kind, and then does not check recipients', () => {
    const findings = checkChannel({ ...mails(''), on: { ...newValues().on, email: false, phoneMessage: false } });
    expect(findings.modes).toEqual({ key: 'channel.modeRequired' });
    expect(findings.entries.email.size + findings.entries.phoneMessage.size).toBe(0);
  });

  it('finds a kind without recipients', () => {
    expect([...checkChannel(mails('', ' ')).entries.email]).toEqual([[1, { key: 'channel.emailEmpty' }]]);
    expect([...checkChannel(numbers('')).entries.phoneMessage]).toEqual([[1, { key: 'channel.phoneEmpty' }]]);
  });

  it.each(['crew@valley', 'crew', 'a b@farm.example', '@farm.example', `${'x'.repeat(250)}@farm.example`])(
    'refuses the address %s',
    (text) => {
      const found = checkChannel(mails('a@farm.example', text)).entries.email;
      expect([...found]).toEqual([[2, { key: 'channel.emailFormat', value: text }]]);
    },
  );

  it.each(['05551112233', '+', '1', '+90 555 x', '+1234567890123456'])('refuses the number %s', (text) => {
    const found = checkChannel(numbers('+905551112233', text)).entries.phoneMessage;
    expect([...found]).toEqual([[2, { key: 'channel.phoneFormat', value: text }]]);
  });

  it.each(['0', '12x', '+12', '4503599627370496', '@ab', '@1abcd', 'farm', '@farm alerts'])(
    'refuses the chat %j',
    (text) => {
      const found = checkChannel(
        values({
          on: { ...newValues().on, telegram: true },
          entries: { ...newValues().entries, telegram: rows(text) },
        }),
      ).entries.telegram;
      expect([...found]).toEqual([[1, { key: 'channel.otherFormat', value: text }]]);
    },
  );

  it('finds a duplicate recipient, however it is written', () => {
    const mail = checkChannel(mails('a@farm.example', 'A@Farm.example')).entries.email;
    expect([...mail]).toEqual([[2, { key: 'channel.emailTwice', value: 'A@Farm.example' }]]);
    const phone = checkChannel(numbers('+905551112233', '90 555 111 22 33')).entries.phoneMessage;
    expect([...phone]).toEqual([[2, { key: 'channel.phoneTwice', value: '90 555 111 22 33' }]]);
  });
});

describe('the request', () => {
  it('is trimmed, without empty rows and without separators in numbers', () => {
    const body = channelBody(
      values({
        name: ' Night crew ',
        entries: {
          ...newValues().entries,
          email: rows(' a@farm.example ', ''),
          phoneMessage: rows('+90 (555) 111-22-33'),
        },
        language: 'tr-tr',
      }),
    );
    expect(body).toEqual({
      noticeName: 'Night crew',
      noticeMode: ['email', 'phoneMessage'],
      email: { emails: ['a@farm.example'] },
      phoneMessage: ['+905551112233'],
      others: [],
      language: 'tr-tr',
    });
  });

  it('has no recipients of an unused kind, and no language for the tenant’s', () => {
    const body = channelBody(values({ on: { ...newValues().on, email: false, phoneMessage: true } }));
    expect(body).toMatchObject({ noticeMode: ['phoneMessage'], email: { emails: [] }, language: null });
  });

  it('has recipients of other kinds beside the specified ones', () => {
    const chats = values({
      on: { ...newValues().on, telegram: true },
      entries: { ...newValues().entries, telegram: rows(' −1001234567890 ', '', '@Farm_alerts') },
    });
    const { noticeMode, email, phoneMessage, others } = channelBody(chats);
    expect({ noticeMode, email, phoneMessage }).toEqual({ noticeMode: [], email: { emails: [] }, phoneMessage: [] });
    expect(others).toEqual([{ mode: 'telegram', recipients: ['-1001234567890', '@Farm_alerts'] }]);
    const saved = channel({ noticeMode: [], email: { emails: [] }, phoneMessage: [], others: others ?? [] });
    expect(sameValues(valuesOf(saved), { ...chats, name: saved.noticeName })).toBe(false); // the empty row
    expect(channelBody(valuesOf(saved)).others).toEqual(others);
    expect(isValid(checkChannel(chats))).toBe(true);
  });

  it('keeps recipients of kinds that only a newer console knows', () => {
    const others = [{ mode: 'pigeon', recipients: ['loft 3'] }];
    expect(channelBody(valuesOf(channel({ others }))).others).toEqual(others);
  });

  it('of an unchanged channel equals the channel', () => {
    const one = channel({ language: 'ru-ru' });
    const { id: _, createTime: __, ruleCount: ___, ruleNames: ____, ...rest } = one;
    expect(channelBody(valuesOf(one))).toEqual({ ...rest, others: [] });
  });
});

it('detects changes by content, not by row keys', () => {
  expect(sameValues(mails('a@farm.example'), mails('a@farm.example'))).toBe(true);
  const renumbered = { ...mails(), entries: { ...mails().entries, email: [{ key: 9, text: 'a@farm.example' }] } };
  expect(sameValues(renumbered, mails('a@farm.example'))).toBe(true);
  expect(sameValues(mails('a@farm.example'), mails('b@farm.example'))).toBe(false);
  expect(sameValues(values(), values({ language: 'zh-cn' }))).toBe(false);
});

describe('a refusal', () => {
  const refusalWith = (msg: string, of = values()) => refusalOf(new ApiError(601, msg, 'business'), of, i18next.t);

  it('is assigned to its field, in any language', async () => {
    expect(refusalWith('Please enter a name')?.field).toBe('name');
    expect(refusalWith('Select at least one mode')?.field).toBe('modes');
    await useLanguage.getState().setLanguage('zh-cn');
    expect(refusalWith('邮箱地址格式不正确：b@farm.example', mails('a@farm.example', 'b@farm.example'))).toMatchObject({
      field: 'email',
      key: 2,
    });
  });

  it('is assigned to the row that it names, as typed or as sent', () => {
    const of = numbers('+905551112233', '+90 555 000 00 00');
    expect(refusalWith('Not a phone number: +905550000000', of)).toMatchObject({ field: 'phoneMessage', key: 2 });
    expect(refusalWith('Not a phone number: +90 555 000 00 00', of)).toMatchObject({ field: 'phoneMessage', key: 2 });
    expect(refusalWith('Add at least one phone number', of)).toMatchObject({ field: 'phoneMessage', key: 1 });
  });

  it('that names no field appears above the form; a fault is no refusal', () => {
    expect(refusalWith('A farm has at most 1,000 channels')).toEqual({
      field: 'form',
      text: 'A farm has at most 1,000 channels',
    });
    expect(refusalOf(new ApiError(500, 'broken', 'business'), values(), i18next.t)).toBeNull();
    expect(refusalOf(new Error('no answer'), values(), i18next.t)).toBeNull();
  });
});
