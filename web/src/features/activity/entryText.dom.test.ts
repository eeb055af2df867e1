import { beforeAll, describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { languageCodes } from '@/lib/i18n/languages';
import { entry } from '@/test/samples';
import { attributesOf, changeText, entrySentence, personText, textContext, valueText } from './entryText';
import type { Change, Entry } from './queries';

const names = { airTemperature: { yeuName: 'Air temperature', unit: '°C' } };
const frost = [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 }];

beforeAll(async () => {
  for (const language of languageCodes.toReversed()) {
    await useLanguage.getState().setLanguage(language);
  }
});

const line = (entry: Entry, language: Language = 'en-us') =>
  entrySentence(entry, textContext(language, names)).join('');
const change = (field: string, before?: unknown, after?: unknown): Change => ({ field, before, after });

describe('the sentence of an entry', () => {
  it.each([
    ['en-us', 'Changed device Mast: remark name from Mast to Pump 3'],
    ['zh-cn', '更改了设备 Mast：备注名称由“Mast”改为“Pump 3”'],
    ['tr-tr', 'Mast cihazını değiştirdi: görünen ad: Mast yerine Pump 3'],
    ['ru-ru', 'Изменение устройства Mast: название устройства: было «Mast», стало «Pump 3»'],
  ] as const)('says in %s what changed from what to what', (language, text) => {
    expect(line(entry(), language)).toBe(text);
  });

  it('contains only the action for creation, deletion, start and stop', () => {
    const changes = [change('name', undefined, 'North')];
    expect(line(entry({ kind: 'scene', action: 'create', thing: 'North', changes }))).toBe('Created scene North');
    expect(line(entry({ kind: 'scene', action: 'delete', thing: 'North', changes }))).toBe('Deleted scene North');
    const renamed = [change('name', 'North', 'West')];
    expect(line(entry({ kind: 'scene', thing: 'North', changes: renamed }))).toBe(
      'Changed scene North: name from North to West',
    );
    expect(
      line(entry({ kind: 'rule', action: 'publish', thing: 'Frost', changes: [change('deployState', 0, 1)] })),
    ).toBe('Started alarm rule Frost');
  });

  it.each([
    ['en-us', 'Stopped alarm rule Frost: missing attribute Air temperature'],
    ['zh-cn', '停止了告警规则 Frost：已不存在的属性“Air temperature”'],
    ['tr-tr', 'Frost alarm kuralını durdurdu: artık olmayan parametre: Air temperature'],
    ['ru-ru', 'Остановка правила Frost: исчезнувший параметр: «Air temperature»'],
  ] as const)('says in %s for which attribute a rule was stopped', (language, text) => {
    const changes = [change('deployState', 1, 2), change('attributeGone', undefined, 'airTemperature')];
    const stopped = entry({ by: 'server', kind: 'rule', action: 'unpublish', thing: 'Frost', changes });
    expect(line(stopped, language)).toBe(text);
    expect(attributesOf([stopped])).toEqual(['airTemperature']);
  });

  it.each([
    [
      'en-us',
      'Changed the account of Ada: role from Viewer to Operator and language from the farm’s language to Русский',
    ],
    ['zh-cn', '更改了 Ada 的账号：角色由“查看者”改为“操作员”和语言由“农场的语言”改为“Русский”'],
    ['tr-tr', 'Ada hesabını değiştirdi: rol: İzleyici yerine Operatör ve dil: çiftliğin dili yerine Русский'],
    [
      'ru-ru',
      'Изменение учётной записи Ada: роль: было «Наблюдатель», стало «Оператор» и язык: было «язык хозяйства», стало «Русский»',
    ],
  ] as const)('says in %s how a person was changed', (language, text) => {
    const changes = [change('role', 'viewer', 'operator'), change('language', '', 'ru-ru')];
    expect(line(entry({ kind: 'user', thing: 'Ada', changes }), language)).toBe(text);
  });

  it('says who was invited, also without a name, and who was signed out', () => {
    const changes = [change('role', undefined, 'viewer')];
    const invited = (action: string, thing: string) => line(entry({ kind: 'invitation', action, thing, changes }));
    expect(invited('create', 'Ada')).toBe('Invited Ada');
    expect(invited('update', 'a•••@valley.example')).toBe('Sent the invitation of a•••@valley.example again');
    expect(invited('delete', '')).toBe('Took back the invitation of somebody by a link');
    expect(valueText('role', 'viewer', textContext('tr-tr'))).toBe('İzleyici');
    const ended = entry({ kind: 'user', action: 'endSessions', thing: 'Ada', changes: [] });
    expect(line(ended)).toBe('Signed Ada out everywhere');
  });

  it.each([
    ['en-us', 'Acknowledged the alarm Frost: note On my way', 'Took back the acknowledgement of the alarm Frost'],
    ['zh-cn', '登记为正在处理告警 Frost：备注“On my way”', '撤回了对告警 Frost 的处理登记'],
    [
      'tr-tr',
      'Frost alarmını “İlgileniyorum” diye işaretledi: not: On my way',
      'Frost alarmındaki “İlgileniyorum” işaretini geri aldı',
    ],
    [
      'ru-ru',
      'Отметка «Я занимаюсь» у тревоги Frost: примечание: «On my way»',
      'Снятие отметки «Я занимаюсь» у тревоги Frost',
    ],
  ] as const)('says in %s who acknowledged an alarm and who took that back', (language, said, back) => {
    const of = (action: string, changes: Change[] = []) =>
      line(entry({ kind: 'notice', action, thing: 'Frost', changes }), language);
    expect(of('acknowledge', [change('note', undefined, 'On my way')])).toBe(said);
    expect(of('unacknowledge')).toBe(back);
  });

  it.each([
    ['en-us', 'Tilth itself', 'Switched off webhook Planner: its address answered that it is gone (410)'],
    ['zh-cn', 'Tilth 系统', '停用了 Webhook Planner：其地址回答已永久停用（410）'],
    ['tr-tr', 'Tilth', 'Planner webhook’unu kapattı: adresi artık var olmadığını bildirdi (410)'],
    ['ru-ru', 'Сам Tilth', 'Отключение вебхука Planner: его адрес ответил, что больше не существует (410)'],
  ] as const)('says in %s why the server disabled a webhook', (language, who, text) => {
    const gone = entry({
      by: 'server',
      name: '',
      kind: 'webhook',
      action: 'switchOff',
      thing: 'Planner',
      changes: [change('enabled', true, false)],
    });
    expect(line(gone, language)).toBe(text);
    expect(personText(gone, textContext(language))).toBe(who);
  });

  it.each([
    [
      'en-us',
      'Tilth itself',
      'Ended a session of Ada: its sign-in key was used twice, so somebody else may have a copy',
    ],
    ['zh-cn', 'Tilth 系统', '结束了 Ada 的一个会话：其登录凭据被重复使用，可能已被他人窃取'],
    [
      'tr-tr',
      'Tilth',
      'Ada kullanıcısının bir oturumunu kapattı: oturum anahtarı iki kez kullanıldı, başkasının eline geçmiş olabilir',
    ],
    ['ru-ru', 'Сам Tilth', 'Завершение сеанса Ada: его ключ использован дважды — возможно, он украден'],
  ] as const)('says in %s why a session ended without a sign-out', (language, who, text) => {
    const stolen = entry({ by: 'server', name: '', kind: 'session', action: 'reuse', thing: 'Ada', changes: [] });
    expect(line(stolen, language)).toBe(text);
    expect(personText(stolen, textContext(language))).toBe(who);
  });

  it('names two changes and counts the others', () => {
    const changes = [
      change('noteName', 'a', 'b'),
      change('groupName', 'North'),
      change('longitude', 1),
      change('latitude', 1),
    ];
    expect(line(entry({ changes }))).toBe(
      'Changed device Mast: remark name from a to b, scene taken away (was North), and 2 more',
    );
    expect(line(entry({ changes }), 'ru-ru')).toMatch(/\) и ещё 2 изменения$/);
  });

  it('says that a secret has changed, without its value', () => {
    expect(line(entry({ changes: [{ field: 'secrets', hidden: true }] }))).toBe('Changed device Mast: new secret');
  });

  it('distinguishes the beginning of a mute from its end', () => {
    const mute = (...given: [unknown, unknown]) =>
      line(entry({ kind: 'rule', action: 'mute', changes: [change('muteUntil', ...given)] }));
    expect(mute(undefined, 1_790_000_000_000)).toMatch(/^Muted alarm rule Mast: muted until /);
    expect(mute(1_790_000_000_000, undefined)).toMatch(/^Ended the mute of alarm rule Mast/);
  });

  it('shows unknown kinds, actions and fields as the server names them', () => {
    expect(line(entry({ kind: 'tractor', action: 'park', changes: [] }))).toBe('tractor.park Mast');
    expect(line(entry({ changes: [change('wheels', 3, 4)] }))).toBe('Changed device Mast: wheels from 3 to 4');
  });

  it('keeps names unchanged, even with placeholders of its own or of the language files', () => {
    const thing = '{{thing}} $t(nav.home) <b>x</b>';
    expect(entrySentence(entry({ thing, changes: [] }), textContext('en-us'))).toEqual(['Changed device ', thing, '']);
    expect(changeText(change('noteName', '{{after}}', '$t(nav.home)'), textContext('en-us'))).toBe(
      'remark name from {{after}} to $t(nav.home)',
    );
  });
});

describe('a value', () => {
  it.each([
    ['groupStatus', 2, 'Forbidden'],
    ['alarmLevel', 2, 'Serious'],
    ['deployState', 2, 'Stopped'],
    ['triggerType', 1, 'The device is offline'],
    ['manualRelease', 1, 'Yes'],
    ['enabled', 0, 'No'],
    ['disabled', true, 'Yes'],
    ['durations', 600_000, '10 minutes'],
    ['remindEvery', 120, '2\u00a0h'],
    ['hitCounts', 3, '3'],
    ['passageway', ['Night crew', 'Elif'], 'Night crew, Elif'],
    ['noticeMode', ['email', 'phoneMessage'], 'Email, SMS'],
    ['timePeriods', [0, 1, 47], '23:30–24:00, 00:00–01:00'],
    ['weekdays', [1, 2, 3, 4, 5], 'Mon–Fri'],
    ['weekdays', undefined, 'every day'],
    ['language', 'tr-tr', 'Türkçe'],
    ['language', 'xx', 'xx'],
    ['startTime', '05:00', '05:00'],
    ['noteName', undefined, '–'],
    ['events', { a: 1 }, '{"a":1}'],
  ])('of %s %j is formatted as on the screens: %s', (field, value, text) => {
    expect(valueText(field, value, textContext('en-us'))).toBe(text);
  });

  it('of conditions is a sentence with the attributes’ names', () => {
    expect(valueText('conditions', frost, textContext('en-us', names))).toContain('Air temperature');
    expect(valueText('conditions', frost, textContext('en-us'))).toContain('airTemperature');
    expect(attributesOf([entry({ changes: [change('conditions', undefined, frost)] }), entry()])).toEqual([
      'airTemperature',
    ]);
  });
});

it('names the actor', () => {
  const words = textContext('en-us');
  expect(personText({ by: 'user', name: 'Elif' }, words)).toBe('Elif');
  expect(personText({ by: 'credential', name: 'Pump house' }, words)).toBe('Program Pump house');
  expect(personText({ by: 'provider', name: '' }, words)).toBe('Provider');
  expect(personText({ by: 'server', name: '' }, words)).toBe('Tilth itself');
});
