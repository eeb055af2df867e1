import { render, screen } from '@testing-library/react';
import { createElement } from 'react';
import { expect, it } from 'vitest';

const shown = () => screen.queryByRole('button', { name: 'Save' });

it('a changed style takes effect at once, wherever it is defined', () => {
  const { container } = render(createElement('div', null, createElement('button', { type: 'button' }, 'Save')));
  const outer = container.firstElementChild as HTMLElement;
  expect(shown()).toBeVisible();
  expect(getComputedStyle(outer)).toBe(getComputedStyle(outer));

  outer.style.display = 'none';
  expect(shown()).toBeNull();
  outer.style.display = '';
  expect(shown()).toBeVisible();

  const sheet = document.head.appendChild(document.createElement('style'));
  sheet.textContent = '.away { visibility: hidden }';
  expect(shown()).toBeVisible();
  outer.className = 'away';
  expect(shown()).toBeNull();
  sheet.sheet?.deleteRule(0);
  expect(shown()).toBeVisible();
  sheet.textContent = 'button { display: none }';
  expect(shown()).toBeNull();
  sheet.remove();
  expect(shown()).toBeVisible();
});
