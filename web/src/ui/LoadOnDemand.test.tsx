import { render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useReachability } from '@/lib/offline/reachability';
import { usePreferences } from '@/lib/storage/preferences';
import { Avatar } from './Avatar';
import { ElementIcon } from './ElementIcon';
import { SendButton } from './form/SendButton';

const pictures = () => document.querySelectorAll('img');

describe('pictures', () => {
  it('load without the data saver, and not with it', () => {
    const both = (
      <>
        <Avatar name="Elif Kaya" picture="/avatar/7.png" />
        <ElementIcon address="/icon.svg" />
      </>
    );
    const { rerender } = render(both);
    expect(pictures()).toHaveLength(2);
    usePreferences.setState({ saveData: true });
    rerender(<div key="again">{both}</div>);
    expect(pictures()).toHaveLength(0);
    expect(screen.getByText('EK')).toBeInTheDocument();
  });
});

describe('a send button', () => {
  const form = (sent: () => void) => (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        sent();
      }}
    >
      <SendButton>Save</SendButton>
    </form>
  );

  it('submits the form', () => {
    const sent = vi.fn();
    render(form(sent));
    screen.getByRole('button', { name: 'Save' }).click();
    expect(sent).toHaveBeenCalledOnce();
  });

  it('says that it needs a connection when there is none', () => {
    useReachability.setState({ reach: 'offline' });
    const sent = vi.fn();
    render(form(sent));
    const button = screen.getByRole('button', { name: 'Needs a connection' });
    expect(button).toBeDisabled();
    button.click();
    expect(sent).not.toHaveBeenCalled();
  });
});
