import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { Actions, Contact, FactorCell, KeysCell, LastSignIn, Name, RoleCell, UserName } from './cells';
import css from './PeopleList.module.css';
import type { PersonAction } from './PersonConfirmDialog';
import type { Person } from './queries';
import { StateChip } from './StateChip';

interface PeopleListProps {
  people: readonly Person[];
  /** The signed-in user. */
  self: number | undefined;
  onEdit: (person: Person) => void;
  onAsk: (asked: PersonAction) => void;
  onKeys: (person: Person) => void;
}

/** Beside the person's card, a table with longer words would be too wide here. */
const tightQuery = '(min-width: 1280px) and (max-width: 1439px)';

/** A table; without room for it one card below the other. */
export function PeopleList(props: PeopleListProps) {
  const isPhone = useMediaQuery(phoneQuery);
  const isTight = useMediaQuery(tightQuery);
  return isPhone || isTight ? <Cards {...props} /> : <Table {...props} />;
}

function Table({ people, self, onEdit, onAsk, onKeys }: PeopleListProps) {
  const { t } = useTranslation();
  return (
    <table className={css.table} aria-label={t('people.title')}>
      <thead>
        <tr>
          <th scope="col">{t('people.person')}</th>
          <th scope="col">{t('people.contact')}</th>
          <th scope="col">{t('role.title')}</th>
          <th scope="col">{t('app.state')}</th>
          <th scope="col">{t('profile.lastLogin')}</th>
          <th scope="col" className={css.end}>
            {t('app.action')}
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.id}>
            <th scope="row" className={css.name}>
              <Name person={person} isSelf={person.id === self} />
              <UserName person={person} />
            </th>
            <td className={css.contact}>
              <Contact person={person} />
            </td>
            <td>
              <RoleCell person={person} />
            </td>
            <td>
              <StateChip state={person.state} />
              <FactorCell person={person} />
              <KeysCell person={person} onKeys={onKeys} />
            </td>
            <td>
              <LastSignIn person={person} />
            </td>
            <td className={css.end}>
              <Actions person={person} isSelf={person.id === self} onEdit={onEdit} onAsk={onAsk} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ people, self, onEdit, onAsk, onKeys }: PeopleListProps) {
  const { t } = useTranslation();
  return (
    <ul className={css.cards} aria-label={t('people.title')}>
      {people.map((person) => (
        <li key={person.id} className={css.card}>
          <div className={css.top}>
            <div className={css.who}>
              <h3 className={css.cardName}>
                <Name person={person} isSelf={person.id === self} />
              </h3>
              <UserName person={person} />
            </div>
            <span className={css.state}>
              <StateChip state={person.state} />
              <FactorCell person={person} />
              <KeysCell person={person} onKeys={onKeys} />
            </span>
          </div>
          <div className={css.middle}>
            <Contact person={person} />
            <RoleCell person={person} />
          </div>
          <div className={css.bottom}>
            <span className={css.signIn}>
              {t('profile.lastLogin')}: <LastSignIn person={person} />
            </span>
            <Actions person={person} isSelf={person.id === self} onEdit={onEdit} onAsk={onAsk} />
          </div>
        </li>
      ))}
    </ul>
  );
}
