import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { streamEvent } from '@/test/alarmServer';
import { noticeRegion, noticeServer, openNotices, paths } from '@/test/noticeServer';
import { waitForDialog } from '@/test/profileServer';
import { detailOf, notice } from '@/test/samples';
import { refused } from '@/test/server';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const part = (name: string) =>
  within(noticeRegion().getByRole('heading', { level: 3, name }).parentElement as HTMLElement);

async function open(change: Parameters<typeof detailOf>[1] = {}) {
  const server = noticeServer([notice()]);
  server.details.set(1, detailOf(notice(), change));
  return { server, ...(await openNotices(server)) };
}

describe('solving a notice manually', () => {
  it('sends the remark and shows who solved it and why', async () => {
    const { server, user } = await open();
    await user.click(noticeRegion().getByRole('button', { name: 'Mark as solved' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as solved' }));
    await user.type(dialog.getByRole('textbox', { name: 'Remark (optional)' }), ' Vent opened ');
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    expect(await part('How it ended').findByText('Marked as solved by Elif Kaya.')).toBeVisible();
    expect(noticeRegion().getByText('Vent opened')).toBeVisible();
    expect(server.sent).toEqual([{ id: 1, remark: 'Vent opened' }]);
    expect(noticeRegion().getByText('Manual solution')).toBeVisible();
    expect(noticeRegion().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });

  it('requires no remark and accepts none of more than 500 characters', async () => {
    const { server, user } = await open();
    await user.click(noticeRegion().getByRole('button', { name: 'Mark as solved' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as solved' }));
    const field = dialog.getByRole('textbox', { name: 'Remark (optional)' });
    await user.click(field);
    await user.paste('x'.repeat(501));
    expect(dialog.getByText('At most 500 characters')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    expect(server.sent).toEqual([]);
    await user.clear(field);
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    await waitFor(() => expect(server.sent).toEqual([{ id: 1 }]));
  });

  it('shows why it was refused, and the notice’s new state', async () => {
    const { server, user } = await open();
    server.answers.set(paths.resolve, () => {
      server.details.set(1, detailOf(notice({ resolveStatus: 1, endTime: Date.now() })));
      return refused(601, 'This notice is not open any more.');
    });
    await user.click(noticeRegion().getByRole('button', { name: 'Mark as solved' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as solved' }));
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('This notice is not open any more.');
    expect(await part('How it ended').findByText('A reading was back within the limits.')).toBeInTheDocument();
  });

  it('is not offered if the rule does not allow it', async () => {
    await open({ notice: { mayResolve: false } });
    expect(noticeRegion().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });
});

describe('while its conditions still hold', () => {
  const holding = (values: Record<string, number>, rule: Parameters<typeof detailOf>[1] = {}) => ({
    notice: { holds: true, newest: { time: Date.now(), values } },
    ...rule,
  });
  const opened = async (change: Parameters<typeof detailOf>[1]) => {
    const all = await open(change);
    await all.user.click(noticeRegion().getByRole('button', { name: 'Mark as solved' }));
    return { ...all, dialog: within(await screen.findByRole('dialog', { name: 'Mark as solved' })) };
  };

  it('says so with value and limit, and offers to acknowledge it first, with the typed remark', async () => {
    const { server, user, dialog } = await opened(holding({ airTemperature: -1.25 }));
    expect(dialog.getByText(/still holds/)).toHaveTextContent(
      /^Air temperature is −1\.3\s°C, the limit 2\s°C: the condition still holds\. Marked as solved, the notice ends, .+ back to normal\. .+ say that you are on it\.$/,
    );
    const [, solve, on] = dialog.getAllByRole('button').slice(-3);
    expect(solve).toHaveAccessibleName('Mark as solved');
    expect(solve).not.toHaveClass('ant-btn-primary');
    expect(on).toHaveAccessibleName('I am on it');
    expect(on).toHaveClass('ant-btn-primary');
    await user.type(dialog.getByRole('textbox'), 'Vent is stuck');
    await user.click(on as HTMLElement);
    const form = within(await waitForDialog('I am on it'));
    expect(form.getByRole('textbox')).toHaveValue('Vent is stuck');
    expect(form.getByRole('textbox')).toHaveFocus();
    await user.click(form.getByRole('button', { name: 'I am on it' }));
    await waitFor(() => expect(server.sent).toEqual([{ id: 1, note: 'Vent is stuck', remindHours: 4 }]));
  });

  it('can be solved nevertheless', async () => {
    const { server, user, dialog } = await opened(holding({ airTemperature: 1 }));
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    await waitFor(() => expect(server.sent).toEqual([{ id: 1 }]));
  });

  it('follows new readings, including those within the limits', async () => {
    const { server, dialog } = await opened(holding({ airTemperature: 1 }));
    server.details.set(1, detailOf(notice(), holding({ airTemperature: 0.5 })));
    streamEvent(server as never, 'reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 0.5 } });
    expect(await dialog.findByText(/^Air temperature is 0\.5/)).toBeVisible();
    server.details.set(1, detailOf(notice(), { notice: { holds: false } }));
    streamEvent(server as never, 'reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 4 } });
    expect(await dialog.findByText(/^The notice ends now\./)).toBeVisible();
    expect(dialog.queryByRole('button', { name: 'I am on it' })).toBeNull();
  });

  it('says of a device that it is still offline', async () => {
    const { dialog } = await opened({ notice: { holds: true }, rule: { triggerType: 1, conditions: [] } });
    expect(dialog.getByText(/still offline/)).toHaveTextContent(
      /^The device is still offline\. .+ until the device has been back\./,
    );
  });
});
