import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { informServer, openInform, paths, shown } from '@/test/inform';
import { detailOf, notice } from '@/test/samples';
import { refused } from '@/test/server';

// jsdom has no canvas.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));

const part = (name: string) => within(shown().getByRole('heading', { level: 3, name }).parentElement as HTMLElement);

async function open(change: Parameters<typeof detailOf>[1] = {}) {
  const server = informServer([notice()]);
  server.details.set(1, detailOf(notice(), change));
  return { server, ...(await openInform(server)) };
}

describe('ending it by hand', () => {
  it('sends the remark, and shows who did it and why', async () => {
    const { server, user } = await open();
    await user.click(shown().getByRole('button', { name: 'Mark as solved' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as solved' }));
    await user.type(dialog.getByRole('textbox', { name: 'Remark (optional)' }), ' Vent opened ');
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    expect(await part('How it ended').findByText('Marked as solved by Elif Kaya.')).toBeVisible();
    expect(shown().getByText('Vent opened')).toBeVisible();
    expect(server.sent).toEqual([{ id: 1, remark: 'Vent opened' }]);
    expect(shown().getByText('Manual solution')).toBeVisible();
    expect(shown().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });

  it('needs no remark, and takes none of more than 500 characters', async () => {
    const { server, user } = await open();
    await user.click(shown().getByRole('button', { name: 'Mark as solved' }));
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

  it('shows why it was refused, and what has become of the notice', async () => {
    const { server, user } = await open();
    server.answers.set(paths.resolve, () => {
      server.details.set(1, detailOf(notice({ resolveStatus: 1, endTime: Date.now() })));
      return refused(601, 'This notice is not open any more.');
    });
    await user.click(shown().getByRole('button', { name: 'Mark as solved' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Mark as solved' }));
    await user.click(dialog.getByRole('button', { name: 'Mark as solved' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('This notice is not open any more.');
    expect(await part('How it ended').findByText('A reading was back within the limits.')).toBeInTheDocument();
  });

  it('is not offered where the rule does not allow it', async () => {
    await open({ notice: { mayResolve: false } });
    expect(shown().queryByRole('button', { name: 'Mark as solved' })).toBeNull();
  });
});
