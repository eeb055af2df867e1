import { expect, it } from 'vitest';
import { alarmServer, card, openAlarms } from '@/test/alarmServer';
import { channel, rule } from '@/test/samples';
import { ok, onGet } from '@/test/server';

// A rule whose channels reach nobody.

it('has a chip on its row while it runs and its channels reach nobody', async () => {
  const server = alarmServer([
    rule({ passageway: [1] }),
    rule({ id: 2, alarmName: 'Heard', passageway: [1, 2] }),
    rule({ id: 3, alarmName: 'Stopped', passageway: [1], deployState: 0 }),
    rule({ id: 4, alarmName: 'Quiet' }),
  ]);
  server.channels = [
    channel({ noticeMode: ['phoneMessage'] }),
    channel({ id: 2, noticeName: 'Office', noticeMode: ['email'] }),
  ];
  onGet('/admin-api/client/pc/notice-channel/get/ways', () =>
    ok({ email: true, phoneMessage: true, logged: true, language: 'en-us' }),
  );
  await openAlarms(server);
  expect(await card('Spring frost').findByText('reaches nobody')).toHaveAttribute(
    'title',
    expect.stringMatching(/^What these channels tell is written to this server’s log only/),
  );
  for (const name of ['Heard', 'Stopped', 'Quiet']) expect(card(name).queryByText('reaches nobody')).toBeNull();
});
