import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ComponentProps, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { SearchField } from './SearchField';

type Given = Partial<ComponentProps<typeof SearchField>>;

function Field(given: Given) {
  const [value, setValue] = useState('');
  return <SearchField label="Search masts" placeholder="Name" {...given} value={value} onChange={setValue} />;
}

function draw(given: Given = {}) {
  const onKey = vi.fn();
  render(
    // biome-ignore lint/a11y/noStaticElementInteractions: acts as a drawer that handles Escape
    <div onKeyDown={({ key }) => onKey(key)}>
      <Field {...given} />
    </div>,
  );
  return { onKey, user: userEvent.setup() };
}

const box = () => screen.getByRole('textbox', { name: 'Search masts' });

it('has a cross while it has text, which clears it and keeps the focus', async () => {
  const { user } = draw();
  expect(screen.queryByRole('button')).toBeNull();
  await user.type(box(), 'low');
  expect(box()).toHaveValue('low');
  await user.click(screen.getByRole('button', { name: 'Clear the search' }));
  expect(box()).toHaveValue('');
  expect(box()).toHaveFocus();
  expect(screen.queryByRole('button')).toBeNull();
});

it('handles Escape itself while there is text to clear', async () => {
  const { user, onKey } = draw();
  await user.type(box(), 'low');
  onKey.mockReset();
  await user.keyboard('{Escape}');
  expect(box()).toHaveValue('');
  expect(onKey).not.toHaveBeenCalled();
  await user.keyboard('{Escape}');
  expect(onKey).toHaveBeenCalledWith('Escape');
});

it('reports Enter, and delegates clearing', async () => {
  const [onEnter, onClear] = [vi.fn(), vi.fn()];
  const { user } = draw({ onEnter, onClear });
  await user.type(box(), 'low{Enter}');
  expect(onEnter).toHaveBeenCalledOnce();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Clear the search' }));
  expect(onClear).toHaveBeenCalledTimes(2);
  expect(box()).toHaveValue('low');
});

it('in a title’s place takes the focus at once and closes by Escape and by its cross', async () => {
  const onClose = vi.fn();
  const { user } = draw({ onClose });
  expect(box()).toHaveFocus();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Close the search' }));
  expect(onClose).toHaveBeenCalledTimes(2);
});
