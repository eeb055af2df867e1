import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ConfigProvider } from 'antd';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { analysisViewServer } from '@/test/analysisViewServer';
import { renderWithProviders } from '@/test/renderWithProviders';
import { onGet } from '@/test/server';
import { ViewsMenu } from './ViewsMenu';

const query = 'devices=WS-1&signs=airTemperature';
const saved = [
  { id: 1, name: 'Frost', query },
  { id: 2, name: 'Root zone', query: 'devices=SP-1&signs=soilMoisture10' },
];

beforeEach(() => useFeedback.setState({ toasts: [] }));

async function openMenu(now = query) {
  const onOpen = vi.fn();
  const person = userEvent.setup();
  renderWithProviders(
    // jsdom plays no animations, so it never reports their end.
    <ConfigProvider theme={{ token: { motion: false } }}>
      <ViewsMenu query={now} onOpen={onOpen} />
    </ConfigProvider>,
  );
  const button = screen.getByRole('button', { name: /Views/ });
  await person.click(button);
  return { onOpen, person, button };
}

const panel = () => screen.queryByRole('dialog', { name: 'Saved views' });
const nameField = () => screen.findByRole('textbox', { name: 'Name' });
const toastTitles = () => useFeedback.getState().toasts.map(({ title }) => title);

describe('the list', () => {
  it('marks the view that is open, and opens another', async () => {
    analysisViewServer(saved);
    const { onOpen, person, button } = await openMenu();
    expect(await screen.findByRole('button', { name: 'Frost' })).toHaveAttribute('aria-current', 'true');
    const other = screen.getByRole('button', { name: 'Root zone' });
    expect(other).not.toHaveAttribute('aria-current');
    await person.click(other);
    expect(onOpen).toHaveBeenCalledExactlyOnceWith(saved[1]?.query);
    expect(panel()).toBeNull();
    expect(button).toHaveFocus();
  });

  it('says that nothing is saved yet', async () => {
    analysisViewServer();
    await openMenu();
    expect(await screen.findByText('No view saved yet')).toBeVisible();
  });

  it('shows a failure and tries again', async () => {
    analysisViewServer(saved);
    onGet('/admin-api/client/pc/analysis-view/list', () => new HttpResponse(null, { status: 500 }));
    const { person } = await openMenu();
    expect(await screen.findByText('The saved views could not be fetched')).toBeVisible();
    analysisViewServer(saved);
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('button', { name: 'Frost' })).toBeVisible();
    expect(screen.queryByText('The saved views could not be fetched')).toBeNull();
  });

  it('closes by Escape, with the focus on its button', async () => {
    analysisViewServer(saved);
    const { person, button } = await openMenu();
    await screen.findByRole('button', { name: 'Frost' });
    await person.tab();
    await person.keyboard('{Escape}');
    expect(panel()).toBeNull();
    expect(button).toHaveFocus();
    expect(button).toHaveAttribute('aria-expanded', 'false');
  });
});

describe('saving', () => {
  it('saves what is seen under a name', async () => {
    const server = analysisViewServer();
    const { person, button } = await openMenu();
    await person.click(screen.getByRole('button', { name: /Save this view/ }));
    await person.type(await nameField(), ' Frost {Enter}');
    await waitFor(() => expect(toastTitles()).toEqual(['View “Frost” saved']));
    expect(server.sent).toEqual([{ call: 'create', body: { name: 'Frost', query } }]);
    await waitFor(() => expect(button).toHaveFocus());
    await person.click(button);
    expect(await screen.findByRole('button', { name: 'Frost' })).toHaveAttribute('aria-current', 'true');
  });

  it('asks before it replaces a view of the same name', async () => {
    const server = analysisViewServer(saved);
    const { person } = await openMenu('devices=WS-9');
    await screen.findByRole('button', { name: 'Frost' });
    await person.click(screen.getByRole('button', { name: /Save this view/ }));
    await person.type(await nameField(), 'frost{Enter}');
    expect(await screen.findByText('A view with this name exists. Replace it?')).toBeVisible();
    expect(server.sent).toEqual([]);
    // Another name needs no question.
    await person.type(await nameField(), '2');
    expect(screen.queryByText('A view with this name exists. Replace it?')).toBeNull();
    await person.keyboard('{Backspace}{Enter}');
    await person.click(await screen.findByRole('button', { name: 'Replace' }));
    await waitFor(() => expect(toastTitles()).toEqual(['View “frost” saved']));
    expect(server.sent).toEqual([{ call: 'update', body: { id: 1, name: 'frost', query: 'devices=WS-9' } }]);
  });

  it('needs a name of at most 64 characters', async () => {
    const server = analysisViewServer();
    const { person } = await openMenu();
    await person.click(screen.getByRole('button', { name: /Save this view/ }));
    const field = await nameField();
    await person.type(field, ' {Enter}');
    expect(field).toHaveAccessibleDescription('Please enter a name');
    await person.clear(field);
    await person.click(field);
    await person.paste('a'.repeat(65));
    await person.keyboard('{Enter}');
    expect(field).toHaveAccessibleDescription('At most 64 characters');
    expect(server.sent).toEqual([]);
  });

  it('shows the server’s refusal at the field until the name changes', async () => {
    const server = analysisViewServer();
    server.refusal = 'You already have 50 saved views. Delete one first';
    const { person } = await openMenu();
    await person.click(screen.getByRole('button', { name: /Save this view/ }));
    const field = await nameField();
    await person.type(field, 'Frost{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription(server.refusal));
    expect(field).toHaveValue('Frost');
    expect(toastTitles()).toEqual([]);
    await person.type(field, '2');
    expect(field).toHaveAccessibleDescription('Only you see your views.');
  });

  it('has nothing to save before anything is chosen', async () => {
    analysisViewServer();
    await openMenu('');
    expect(screen.getByRole('button', { name: /Save this view/ })).toBeDisabled();
  });
});

describe('changing', () => {
  it('renames a view and keeps what it opens', async () => {
    const server = analysisViewServer(saved);
    const { person } = await openMenu();
    await person.click(await screen.findByRole('button', { name: 'Rename “Root zone”' }));
    const field = await nameField();
    expect(field).toHaveValue('Root zone');
    await person.clear(field);
    await person.type(field, 'Frost{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription('There is already a view of this name'));
    await person.clear(field);
    await person.type(field, 'Roots{Enter}');
    await waitFor(() => expect(toastTitles()).toEqual(['View renamed']));
    expect(server.views[1]).toEqual({ ...saved[1], name: 'Roots' });
  });

  it('deletes a view after a question', async () => {
    const server = analysisViewServer(saved);
    const { person, button } = await openMenu();
    await person.click(await screen.findByRole('button', { name: 'Delete “Frost”' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog).toHaveTextContent('Delete “Frost”?');
    await person.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(server.sent).toEqual([]);
    await person.click(button);
    await person.click(await screen.findByRole('button', { name: 'Delete “Frost”' }));
    await person.click(await screen.findByRole('button', { name: 'Delete view' }));
    await waitFor(() => expect(toastTitles()).toEqual(['View deleted']));
    expect(server.views).toEqual([saved[1]]);
    await waitFor(() => expect(button).toHaveFocus());
  });
});
