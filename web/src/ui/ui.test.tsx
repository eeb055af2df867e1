import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { setTenant } from '@/lib/tenant/tenant';
import { Avatar, initials } from './Avatar';
import { BrandLogo } from './BrandLogo';
import { Chip } from './Chip';
import { Empty } from './Empty';
import { ErrorNote } from './ErrorNote';
import { IconButton } from './IconButton';
import { PageTitle, PageTitleSlot } from './PageTitle';
import { Loading, Skeleton } from './Skeleton';

describe('a person’s initials', () => {
  it.each([
    ['Elif Kaya', 'EK'],
    ['  мария  ивановна петрова ', 'МП'],
    ['demo', 'D'],
    ['王小明', '王'],
    ['𝒜da', '𝒜'],
    ['', ''],
  ])('of "%s" are "%s"', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });

  it('replace a picture that cannot be loaded, or is not allowed', () => {
    const { container, rerender } = render(<Avatar name="Elif Kaya" picture="/me.webp" />);
    const image = container.querySelector('img');
    expect(image).toHaveAttribute('src', 'http://farm.test/me.webp');
    image?.dispatchEvent(new Event('error'));
    rerender(<Avatar name="Elif Kaya" picture="/me.webp" />);
    expect(container).toHaveTextContent('EK');
    rerender(<Avatar name="Elif Kaya" picture="javascript:alert(1)" />);
    expect(container.querySelector('img')).toBeNull();
  });
});

describe('the logo', () => {
  it('is Tilth’s, or the tenant’s if that can be loaded', () => {
    const { rerender } = render(<BrandLogo height={24} />);
    expect(screen.getByRole('img', { name: 'Tilth' }).tagName).toBe('svg');
    setTenant({ id: 1, name: 'x', diy: { title: 'Growers', logo: '/logo.png' } });
    rerender(<BrandLogo height={24} />);
    const own = screen.getByRole('img', { name: 'Growers' });
    expect(own).toHaveAttribute('src', 'http://farm.test/logo.png');
    own.dispatchEvent(new Event('error'));
    rerender(<BrandLogo height={24} />);
    expect(screen.getByRole('img', { name: 'Tilth' }).tagName).toBe('svg');
  });
});

describe('a page’s title', () => {
  it('appears in the shell’s slot, and in the tab', () => {
    const slot = document.body.appendChild(document.createElement('header'));
    render(
      <PageTitleSlot value={slot}>
        <PageTitle title="Home page" summary="231 of 248 devices report." />
      </PageTitleSlot>,
    );
    expect(slot.querySelector('h1')).toHaveTextContent('Home page');
    expect(slot).toHaveTextContent('231 of 248 devices report.');
    expect(document.title).toBe('Home page · Tilth');
    slot.remove();
  });

  it('appears in place without a shell', () => {
    render(<PageTitle title="Sign up" />);
    expect(screen.getByRole('heading', { level: 1, name: 'Sign up' })).toBeVisible();
  });
});

describe('states', () => {
  it('show a word beside their icon', () => {
    render(
      <Chip tone="ok" icon={<svg data-testid="icon" />}>
        Online
      </Chip>,
    );
    expect(screen.getByText('Online')).toBeVisible();
    expect(screen.getByTestId('icon').parentElement).toHaveAttribute('aria-hidden', 'true');
  });

  it('the empty state says what, why and what next', () => {
    render(
      <Empty
        level={3}
        title="no data"
        text="No alarm in this period."
        action={<button type="button">See the rules</button>}
      />,
    );
    expect(screen.getByRole('heading', { level: 3, name: 'no data' })).toBeVisible();
    expect(screen.getByText('No alarm in this period.')).toBeVisible();
    expect(screen.getByRole('button', { name: 'See the rules' })).toBeVisible();
  });

  it('an error is announced at once and can be retried, but not twice at a time', async () => {
    const retry = vi.fn();
    const { rerender } = render(
      <ErrorNote title="The server does not answer" text="Trying again in 8 s" onRetry={retry} />,
    );
    expect(screen.getByRole('alert')).toHaveTextContent('The server does not answer');
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(retry).toHaveBeenCalledTimes(1);
    rerender(<ErrorNote title="The server does not answer" onRetry={retry} busy />);
    const button = screen.getByRole('button', { name: 'Retry' });
    expect(button).toHaveAttribute('aria-disabled', 'true');
    await userEvent.click(button);
    expect(retry).toHaveBeenCalledTimes(1);
    // A user who pressed it by keyboard keeps the focus.
    expect(button).toHaveFocus();
  });

  it('loading is announced once for any number of bars', () => {
    render(
      <Loading>
        <Skeleton height={20} />
        <Skeleton height={20} />
      </Loading>,
    );
    expect(screen.getAllByText('Loading')).toHaveLength(1);
    expect(screen.getByRole('status').parentElement).toHaveAttribute('aria-busy', 'true');
  });

  it.each([
    [0, ''],
    [3, '3'],
    [100, '99+'],
  ])('a button’s count of %s is shown as "%s"', (count, shown) => {
    render(<IconButton label="Messages" icon={null} count={count} />);
    expect(screen.getByRole('button', { name: 'Messages' }).textContent).toBe(shown);
  });
});
