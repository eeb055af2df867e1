import AppstoreOutlined from '@ant-design/icons/AppstoreOutlined';
import TableOutlined from '@ant-design/icons/TableOutlined';
import { useTranslation } from 'react-i18next';
import type { ReadingsView } from './search';
import css from './ViewSwitch.module.css';

interface ViewSwitchProps {
  view: ReadingsView;
  onView: (view: ReadingsView) => void;
  /** Whether the rows of the table stand by scene; undefined: they cannot stand otherwise. */
  grouped: boolean | undefined;
  onGroup: (grouped: boolean) => void;
}

/** Cards or a table; and, of the table, whether its rows stand by scene. */
export function ViewSwitch({ view, onView, grouped, onGroup }: ViewSwitchProps) {
  const { t } = useTranslation();
  const choices = [
    { value: 'cards', words: t('data.view.cards'), Icon: AppstoreOutlined },
    { value: 'table', words: t('data.view.table'), Icon: TableOutlined },
  ] as const;
  return (
    <div className={css.bar}>
      <fieldset className={css.track}>
        <legend className="visually-hidden">{t('data.view.label')}</legend>
        {choices.map(({ value, words, Icon }) => (
          <label key={value} className={css.choice}>
            <input
              type="radio"
              className={css.input}
              name="data-view"
              checked={view === value}
              onChange={() => onView(value)}
            />
            <span className={css.words}>
              <Icon aria-hidden="true" />
              {words}
            </span>
          </label>
        ))}
      </fieldset>
      {view === 'table' ? (
        <label className={css.group} title={grouped === undefined ? t('data.table.groupedOnly') : undefined}>
          <input
            type="checkbox"
            checked={grouped ?? true}
            disabled={grouped === undefined}
            onChange={(event) => onGroup(event.currentTarget.checked)}
          />
          {t('data.table.group')}
        </label>
      ) : null}
    </div>
  );
}
