import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { noTargets } from '@/lib/alarm/targets';
import { askedOf, paths, sentTo } from '@/test/alarmServer';
import { dialog, fieldBox, fillRule, newServerForEachTest, openRuleForm, press, server } from '@/test/ruleForm';
import { rule } from '@/test/samples';
import { ok, onGet } from '@/test/server';
import { device } from '@/test/telemetryServer';

newServerForEachTest();

type User = Awaited<ReturnType<typeof openRuleForm>>['user'];

const ridge = { id: 3, groupName: 'Ridge', groupStatus: 1 as const, deviceCount: 2, onlineCount: 2, createTime: 0 };
const content = '.ant-select-item-option-content';
const option = (name: string | RegExp) => screen.findByText(name, { selector: `${content} *` });
const offered = () => [...document.querySelectorAll(content)].map((element) => element.textContent);
const tags = () =>
  [...document.querySelectorAll('.ant-select-selection-item')].map((element) => element.textContent).filter(Boolean);
const searchTargets = async (user: User, text: string) => {
  await user.click(fieldBox(/^Device source/));
  await user.type(fieldBox(/^Device source/), text);
};
const described = () => fieldBox(/^Device source/);

describe('the targets of a rule', () => {
  it('are offered with scenes before devices and models after them, and one search finds them all', async () => {
    const { user } = await openRuleForm();
    await user.click(fieldBox(/^Device source/));
    await waitFor(() =>
      expect(offered().slice(0, 4)).toEqual([
        'RidgeScene',
        'Default groupScene',
        'Orchard mast · WS-1',
        'Lower mast · WS-2',
      ]),
    );
    await user.type(fieldBox(/^Device source/), 'MAST');
    await waitFor(() =>
      expect(offered()).toEqual([
        'All 2 devices that match “MAST”',
        'Orchard mast · WS-1',
        'Lower mast · WS-2',
        'Weather mastModel',
      ]),
    );
  });

  it('are found by Turkish names in any case, in a console of any language', async () => {
    const name = 'Işık İzleme';
    const found = { deviceName: 'WS-7', noteName: `${name} direği` };
    onGet('/admin-api/client/pc/group/page', () => ok({ list: [{ ...ridge, groupName: name }], total: 1 }));
    onGet('/admin-api/client/pc/product/get/simple-list', () => ok([{ id: 1, productName: `${name} ölçeri` }]));
    onGet('/admin-api/client/pc/device/page', () => ok({ list: [device(found)], total: 1 }));
    const { user } = await openRuleForm();
    await searchTargets(user, 'ışık iz');
    await waitFor(() => expect(offered()).toEqual([`${name} direği · WS-7`, `${name}Scene`, `${name} ölçeriModel`]));
  });

  it('are offered once all are known: scenes that come later would push the devices away', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    onGet('/admin-api/client/pc/group/page', async () => {
      await answered;
      return ok({ list: [], total: 0 });
    });
    const { user } = await openRuleForm();
    await user.click(fieldBox(/^Device source/));
    await waitFor(() => expect(document.querySelector('.ant-select-item-empty')).toHaveTextContent('Loading'));
    expect(offered()).toEqual([]);
    answer();
    await waitFor(() => expect(offered().slice(0, 2)).toEqual(['Default groupScene', 'Orchard mast · WS-1']));
  });

  it('take all found devices at once and show how many devices there are', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    expect(described()).not.toHaveAccessibleDescription();
    await searchTargets(user, 'probe 11');
    await user.click(await option('All 11 devices that match “probe 11”'));
    await waitFor(() => expect(tags()).toHaveLength(12));
    expect(tags().slice(0, 3)).toEqual(['Orchard mast · WS-1', 'Probe 11 · PR-11', 'Probe 110 · PR-110']);
    expect(fieldBox(/^Device source/)).toHaveValue('');
    await waitFor(() => expect(described()).toHaveAccessibleDescription('12 devices.'));
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({
      executionId: 'WS-1',
      targets: { ...noTargets, devices: ['WS-1', 'PR-11', ...Array.from({ length: 10 }, (_, i) => `PR-11${i}`)] },
    });
  });

  it('may be scenes and models, whose later devices join automatically', async () => {
    server.others.count = 10;
    const { user } = await openRuleForm();
    await fillRule(user);
    await searchTargets(user, 'ri');
    await user.click(await option('Ridge'));
    await waitFor(() =>
      expect(described()).toHaveAccessibleDescription(
        '11 devices. Those that come to these scenes or models later join by themselves.',
      ),
    );
    // A user who searches for several devices takes them one by one.
    expect(fieldBox(/^Device source/)).toHaveValue('ri');
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({
      targets: { devices: ['WS-1'], groups: [3], products: [] },
    });
  });

  it('show how many devices lack an attribute, and do not offer attributes that the server would refuse', async () => {
    server.others = { count: 5, lack: new Map([['airTemperature', 2]]), refused: new Set(['airHumidity']) };
    server.rules = [rule({ targets: { devices: ['WS-1'], groups: [3], products: [] }, deviceCount: 6 })];
    const { user } = await openRuleForm('/alarm?rule=1');
    expect(described()).toHaveAccessibleDescription(
      '6 devices. 2 of them do not measure Air temperature and are left out. Those that come to these scenes or models later join by themselves.',
    );
    const choices = within(fieldBox('Attribute of condition 1'));
    expect(choices.getByRole('option', { name: 'Air temperature (4 of 6)' })).toBeEnabled();
    expect(choices.getByRole('option', { name: 'Humidity' })).toBeDisabled();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.update)).toHaveLength(1));
    expect(sentTo(server, paths.update)[0]).toMatchObject({
      targets: { devices: ['WS-1'], groups: [3], products: [] },
    });
  });

  it('show that not every chosen device has a chosen attribute', async () => {
    server.others.refused = new Set(['airTemperature']);
    server.rules = [rule({ targets: { ...noTargets, devices: ['WS-1', 'WS-2'] } } as never)];
    const { user } = await openRuleForm('/alarm?rule=1');
    await press(user, 'Save');
    expect(await dialog().findByText(/^Not every device that you chose by name has this attribute/)).toBeVisible();
    expect(sentTo(server, paths.update)).toEqual([]);
    await user.click(document.querySelectorAll('.ant-select-selection-item-remove')[1] as HTMLElement);
    await waitFor(() => expect(tags()).toEqual(['Orchard mast · WS-1']));
  });

  it('keep the chosen targets on Tab, whatever option is highlighted', async () => {
    const { user } = await openRuleForm();
    await user.click(fieldBox(/^Device source/));
    await user.click(await option('Ridge'));
    await user.tab();
    expect(tags()).toEqual(['Ridge']);
    expect(fieldBox(/^Device source/)).toHaveAttribute('aria-expanded', 'false');
    expect(fieldBox(/^Device source/)).not.toHaveFocus();
  });

  it('name a device that no longer exists, and require one if none is left', async () => {
    server.rules = [rule({ targets: { ...noTargets, devices: ['WS-1', 'WS-9'] } } as never)];
    const { user } = await openRuleForm('/alarm?rule=1');
    await waitFor(() => expect(described()).toHaveAccessibleDescription('WS-9 is no longer in this farm'));
    const removes = () => [...document.querySelectorAll<HTMLElement>('.ant-select-selection-item-remove')];
    for (const remove of removes()) await user.click(remove);
    await waitFor(() => expect(tags()).toEqual([]));
    await press(user, 'Save');
    await waitFor(() => expect(described()).toHaveAccessibleDescription('The device source cannot be empty'));
    expect(askedOf(server, paths.attributes).every((query) => query.get('devices') !== '')).toBe(true);
  });
});
