import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { DerivationNote } from './DerivationNote';

const degreeDays = {
  sign: 'degreeDays',
  name: 'Degree days',
  formula: 'growingDegreeDays',
  inputs: [{ sign: 'airTemperature', name: 'Air temperature' }],
  parameters: { base: 5.5, method: 2, startMonth: 3, startDay: 15 },
};

describe('the note of a derived value', () => {
  it('shows formula, inputs and the grower’s parameters on keyboard focus', async () => {
    render(<DerivationNote derivation={degreeDays} />);
    await userEvent.setup().tab();
    const mark = screen.getByRole('button', { name: 'How Degree days is computed' });
    expect(mark).toHaveFocus();
    const note = await screen.findByRole('tooltip');
    expect(note).toHaveTextContent('Growing degree days since the date');
    expect(note).toHaveTextContent('Computed from Air temperature');
    expect(note).toHaveTextContent('base 5.5 °C · counted from March 15');
  });

  it('uses the user’s language, also for numbers and days', async () => {
    await useLanguage.getState().setLanguage('ru-ru');
    render(
      <DerivationNote
        derivation={{
          ...degreeDays,
          inputs: [
            { sign: 't', name: 'Температура' },
            { sign: 'rh', name: 'Влажность' },
          ],
        }}
      />,
    );
    await userEvent.setup().hover(screen.getByRole('button'));
    const note = await screen.findByRole('tooltip');
    expect(note).toHaveTextContent('Исходные данные: Температура и Влажность');
    expect(note).toHaveTextContent('нижний порог 5,5 °C · отсчёт: 15 марта');
    await useLanguage.getState().setLanguage('en-us');
  });

  it.each(['MouseLeft', 'TouchA'])('appears after a press by %s, and disappears when the focus leaves', async (way) => {
    render(<DerivationNote derivation={degreeDays} />);
    const user = userEvent.setup();
    const mark = screen.getByRole('button');
    await user.pointer({ keys: `[${way}]`, target: mark });
    expect(mark).toHaveFocus();
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Growing degree days');
    expect(mark).toHaveAccessibleDescription(/Growing degree days/);
    await user.pointer({ keys: `[${way}]`, target: document.body });
    await waitFor(() => expect(mark).not.toHaveAttribute('aria-describedby'));
  });

  it('shows the key of an unknown formula', async () => {
    render(
      <DerivationNote
        derivation={{
          sign: 'new',
          name: 'New',
          formula: 'newFormula',
          inputs: [{ sign: 'a', name: 'A' }],
          parameters: {},
        }}
      />,
    );
    await userEvent.setup().click(screen.getByRole('button'));
    expect(await screen.findByRole('tooltip')).toHaveTextContent(/^newFormulaComputed from A$/);
  });
});
