import AppstoreOutlined from '@ant-design/icons/AppstoreOutlined';
import TableOutlined from '@ant-design/icons/TableOutlined';
import { useTranslation } from 'react-i18next';
import { SegmentedControl } from '@/ui/form/SegmentedControl';
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
  return (
    <div className={css.bar}>
      <SegmentedControl
        label={t('data.view.label')}
        value={view}
        options={[
          { value: 'cards', words: t('data.view.cards'), icon: <AppstoreOutlined aria-hidden="true" /> },
          { value: 'table', words: t('data.view.table'), icon: <TableOutlined aria-hidden="true" /> },
        ]}
        onChange={onView}
      />
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
