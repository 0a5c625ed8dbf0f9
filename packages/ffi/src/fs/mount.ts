import { binding, type NativeDescriptor } from "./binding.ts";
import { statDescriptor } from "./file-status.ts";
import { succeed } from "./handle.ts";

/** The file system that a directory lies on. */
export interface MountStatus {
  /** The number in `f_type` of `fstatfs`. */
  readonly type: number;
  /**
   * The name of that number, for example `tmpfs`; `unknown` where this package knows none. ext2, ext3 and ext4 share one
   * number and are called `ext4`; every FUSE file system is `fuse`, whatever serves it.
   */
  readonly name: string;
  readonly readOnly: boolean;
  /** The device number that `FileStatus.device` of everything on it has, except for subvolumes. */
  readonly device: bigint;
}

// Linux: include/uapi/linux/magic.h, and the headers of the file systems that are not there (xfs, zfs, cifs).
const NAMES: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x2fc12fc1: "zfs",
  0xf2f52010: "f2fs",
  0x3153464a: "jfs",
  0x52654973: "reiserfs",
  0xca451a4e: "bcachefs",
  0x01021994: "tmpfs",
  0x858458f6: "ramfs",
  0x794c7630: "overlay",
  0x61756673: "aufs",
  0xf15f: "ecryptfs",
  0x6969: "nfs",
  0xff534d42: "cifs",
  0xfe534d42: "smb2",
  0x517b: "smb",
  0x01021997: "9p",
  0x00c36400: "ceph",
  0x5346414f: "afs",
  0x6b414653: "afs",
  0x01161970: "gfs2",
  0x7461636f: "ocfs2",
  0x0bd00bd0: "lustre",
  0x47504653: "gpfs",
  0x786f4256: "vboxsf",
  0xbacbacbc: "vmhgfs",
  0x65735546: "fuse",
  0x4d44: "vfat",
  0x2011bab0: "exfat",
  0x5346544e: "ntfs",
  0x7366746e: "ntfs3",
  0x4244: "hfs",
  0x482b: "hfsplus",
  0x9660: "iso9660",
  0x15013346: "udf",
  0x73717368: "squashfs",
  0xe0f5e1e2: "erofs",
  0x28cd3d45: "cramfs",
  0x9fa0: "proc",
  0x62656572: "sysfs",
};

/** @throws FileSystemError. */
export function statMount(descriptor: NativeDescriptor, path: string): MountStatus {
  const { type, typeName, readOnly } = succeed(binding().statMount(descriptor), path);
  const { device } = statDescriptor(descriptor, path);
  return { type, name: typeName ?? NAMES[type] ?? "unknown", readOnly, device };
}
