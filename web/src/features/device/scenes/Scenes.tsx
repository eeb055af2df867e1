import AppstoreOutlined from '@ant-design/icons/AppstoreOutlined';
import CloseOutlined from '@ant-design/icons/CloseOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allScenesQuery, type Scene } from '@/lib/device/scenes';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { overviewQuery } from '@/lib/http/queries';
import { useMay } from '@/lib/session/useMay';
import { IconButton } from '@/ui/IconButton';
import { DeleteScene } from './DeleteScene';
import { type Edited, SceneDialog } from './SceneDialog';
import { SceneList } from './SceneList';
import css from './Scenes.module.css';

interface ScenesProps {
  /** Whether the scenes stand beside the table; otherwise a single field opens the list. */
  beside: boolean;
  chosen: number | undefined;
  onChoose: (id: number | undefined) => void;
}

/** The scenes: choose, create, rename and delete them. */
export function Scenes({ beside, chosen, onChoose }: ScenesProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const mayChange = useMay('operator');
  const [edited, setEdited] = useState<Edited | null>(null);
  const [deleted, setDeleted] = useState<Scene | null>(null);
  const [open, setOpen] = useState(false);
  const make = () => setEdited('new');

  const list = (
    <SceneList
      chosen={chosen}
      onChoose={(id) => {
        setOpen(false);
        onChoose(id);
      }}
      onEdit={mayChange ? setEdited : undefined}
      onDelete={mayChange ? setDeleted : undefined}
    />
  );

  return (
    <>
      {beside ? (
        <section className={css.card} aria-label={t('scene.title')}>
          <div className={css.head}>
            <h2 className={css.title}>{t('scene.title')}</h2>
            {mayChange ? (
              <Button size="small" className={css.new} icon={<PlusOutlined aria-hidden="true" />} onClick={make}>
                {t('scene.new')}
              </Button>
            ) : null}
          </div>
          {list}
        </section>
      ) : (
        <div className={css.field}>
          <Chosen chosen={chosen} onOpen={() => setOpen(true)} />
          {mayChange ? (
            <Button
              aria-label={t('scene.new')}
              title={t('scene.new')}
              icon={<PlusOutlined aria-hidden="true" />}
              className={css.plus}
              onClick={make}
            />
          ) : null}
          <Drawer
            open={open}
            onClose={() => setOpen(false)}
            placement={isPhone ? 'bottom' : 'left'}
            size={isPhone ? '100dvh' : 320}
            closable={false}
            mask={{ closable: true, enabled: true, blur: false }}
            aria-label={t('scene.title')}
            classNames={{ body: css.drawer }}
          >
            <div className={css.head}>
              <h2 className={css.title}>{t('scene.choose')}</h2>
              <IconButton
                className={css.close}
                label={t('common.close')}
                icon={<CloseOutlined aria-hidden="true" />}
                onClick={() => setOpen(false)}
              />
            </div>
            {list}
          </Drawer>
        </div>
      )}
      <SceneDialog edited={edited} onClose={() => setEdited(null)} onAdded={onChoose} />
      <DeleteScene
        scene={deleted}
        onClose={() => setDeleted(null)}
        onDeleted={({ id }) => {
          if (id === chosen) onChoose(undefined);
        }}
      />
    </>
  );
}

/** The chosen scene with its count; it opens the list. */
function Chosen({ chosen, onOpen }: { chosen: number | undefined; onOpen: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const overview = useQuery(overviewQuery()).data;
  const scenes = useQuery({ ...allScenesQuery(), enabled: chosen !== undefined && chosen !== 0 }).data;
  const scene = scenes?.find(({ id }) => id === chosen);
  // An old address may name a deleted scene; the table says the same and offers to show all
  // devices.
  const missing = scenes ? t('device.empty.sceneGone') : '…';
  const all = { name: t('scene.all'), count: overview?.deviceCount };
  const none = { name: t('home.defaultGroup'), count: overview?.unassignedCount };
  const { name, count } =
    chosen === undefined ? all : chosen === 0 ? none : { name: scene?.groupName ?? missing, count: scene?.deviceCount };
  return (
    <button type="button" className={css.chosen} onClick={onOpen} aria-haspopup="dialog">
      <AppstoreOutlined className={css.icon} aria-hidden="true" />
      {/* The spaces keep the words apart for screen readers. */}
      <span className="visually-hidden">{t('scene.choose')}:</span> <span className={css.name}>{name}</span>{' '}
      {count === undefined ? null : <span className={css.count}>{format.number(count)}</span>}
      <DownOutlined className={css.icon} aria-hidden="true" />
    </button>
  );
}
