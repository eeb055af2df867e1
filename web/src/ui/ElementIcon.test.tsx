import { fireEvent, render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ElementIcon } from './ElementIcon';

it('shows the catalogue’s picture, hidden from screen readers and without a referrer', () => {
  const { container } = render(<ElementIcon address="https://icons.example/rain.svg" />);
  const picture = container.querySelector('img');
  expect(picture).toHaveAttribute('src', 'https://icons.example/rain.svg');
  expect(picture).toHaveAttribute('alt', '');
  expect(picture).toHaveAttribute('referrerpolicy', 'no-referrer');
});

it.each([
  ['', 'none'],
  ['javascript:alert(1)', 'not a picture’s address'],
])('falls back to a neutral icon for %o: %s', (address) => {
  const { container } = render(<ElementIcon address={address} />);
  expect(container.querySelector('img')).toBeNull();
  expect(container.querySelector('svg')).toHaveAttribute('aria-hidden', 'true');
});

it('falls back when the picture does not load, and tries another address', () => {
  const { container, rerender } = render(<ElementIcon address="https://icons.example/gone.svg" />);
  fireEvent.error(container.querySelector('img') as Element);
  expect(container.querySelector('svg')).not.toBeNull();
  rerender(<ElementIcon address="https://icons.example/rain.svg" />);
  expect(container.querySelector('img')).toHaveAttribute('src', 'https://icons.example/rain.svg');
});
