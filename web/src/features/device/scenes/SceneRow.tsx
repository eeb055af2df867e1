import DeleteOutlined from '@ant-design/icons/DeleteOutlined';
import EditOutlined from '@ant-design/icons/EditOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useTranslation } from 'react-i18next';
import { missingValue, useFormat } from '@/lib/format/format';
import { Chip } from '@/ui/Chip';
import { IconButton } from '@/ui/IconButton';
import css from './SceneRow.module.css';

interface SceneRowProps {
  name: string;
  /** The number of its devices; undefined while it is loading. */
  count: number | undefined;
  forbidden?: boolean;
  chosen: boolean;
  onChoose: () => void;
  onEdit?: () => void;
  onDelete?: () => void;
}

/** A scene to choose. Its actions appear on hover and focus, and always on a touch screen. */
export function SceneRow({ name, count, forbidden = false, chosen, onChoose, onEdit, onDelete }: SceneRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <li className={`${css.row} ${chosen ? css.chosen : ''}`}>
      <button type="button" className={css.choose} aria-current={chosen ? 'true' : undefined} onClick={onChoose}>
        <span className={css.name} title={name}>
          {name}
        </span>{' '}
        {forbidden ? (
          <>
            <Chip tone="off" icon={<StopOutlined />} title={t('scene.statusText.2')}>
              {t('scene.status.2')}
            </Chip>{' '}
          </>
        ) : null}
        <span className={css.count}>
          {count === undefined ? (
            missingValue
          ) : (
            <>
              <span aria-hidden="true">{format.number(count)}</span>
              <span className="visually-hidden">{t('scene.devices', { count, n: format.number(count) })}</span>
            </>
          )}
        </span>
      </button>
      {onEdit || onDelete ? (
        <span className={css.actions}>
          {onEdit ? (
            <IconButton
              className={css.action}
              label={`${t('scene.edit')}: ${name}`}
              icon={<EditOutlined aria-hidden="true" />}
              onClick={onEdit}
            />
          ) : null}
          {onDelete ? (
            <IconButton
              className={css.action}
              label={`${t('scene.delete')}: ${name}`}
              icon={<DeleteOutlined aria-hidden="true" />}
              onClick={onDelete}
            />
          ) : null}
        </span>
      ) : null}
    </li>
  );
}
