#pragma once

namespace mesh::fs {

// Makes the directory `name` in `parent` with mode 0700 and returns 0, or an errno.
//
// The umask belongs to the whole process and may take owner permissions away (0777 makes a directory that its owner can
// not even open); it can neither be read nor changed without racing every other thread. Linux lets a thread leave the
// shared umask, so there the call is made on a thread that did: the mode is right from the first instant and no crash can
// fall between making and correcting. Where that is not possible the umask applies, and the caller must look.
int MakePrivateDirectory(int parent, const char* name);

}  // namespace mesh::fs
