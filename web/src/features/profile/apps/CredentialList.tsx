import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { Access, Expiry } from './AccessCells';
import type { CredentialAction } from './CredentialConfirmDialog';
import css from './CredentialList.module.css';
import { Actions, AppKey, Requests, Times } from './cells';
import type { Credential } from './queries';
import { StateChip } from './StateChip';

interface CredentialListProps {
  credentials: readonly Credential[];
  onAsk: (asked: CredentialAction) => void;
}

/** Beside the person's card, a table with longer words would be too wide here. */
const tightQuery = '(min-width: 1280px) and (max-width: 1439px)';

/** A table; without room for it one card below the other. */
export function CredentialList({ credentials, onAsk }: CredentialListProps) {
  const isPhone = useMediaQuery(phoneQuery);
  const isTight = useMediaQuery(tightQuery);
  return isPhone || isTight ? (
    <Cards credentials={credentials} onAsk={onAsk} />
  ) : (
    <Table credentials={credentials} onAsk={onAsk} />
  );
}

function Table({ credentials, onAsk }: CredentialListProps) {
  const { t } = useTranslation();
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t('app.name')}</th>
          <th scope="col">{t('app.key')}</th>
          <th scope="col">{t('app.access')}</th>
          <th scope="col">{t('app.state')}</th>
          <th scope="col">{t('app.created')}</th>
          <th scope="col">{t('app.requests')}</th>
          <th scope="col" className={css.end}>
            {t('app.action')}
          </th>
        </tr>
      </thead>
      <tbody>
        {credentials.map((credential) => (
          <tr key={credential.id}>
            <th scope="row" className={css.name}>
              {credential.name}
            </th>
            <td>
              <AppKey credential={credential} />
            </td>
            <td>
              <Access {...credential} />
            </td>
            <td className={css.state}>
              <StateChip {...credential} />
              <Expiry {...credential} />
            </td>
            <td>
              <Times credential={credential} />
            </td>
            <td>
              <Requests credential={credential} />
            </td>
            <td className={css.end}>
              <Actions credential={credential} onAsk={onAsk} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ credentials, onAsk }: CredentialListProps) {
  const { t } = useTranslation();
  return (
    <ul className={css.cards}>
      {credentials.map((credential) => (
        <li key={credential.id} className={css.card}>
          <div className={css.top}>
            <h3 className={css.cardName}>{credential.name}</h3>
            <StateChip {...credential} />
          </div>
          <AppKey credential={credential} />
          <div className={css.access}>
            <Access {...credential} />
            <Expiry {...credential} />
          </div>
          <div className={css.requests}>
            <span>{t('app.requests')}</span>
            <Requests credential={credential} />
          </div>
          <div className={css.bottom}>
            <Times credential={credential} />
            <Actions credential={credential} onAsk={onAsk} />
          </div>
        </li>
      ))}
    </ul>
  );
}
