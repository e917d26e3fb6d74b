"""The `pincite` command. Nothing here is imported by the library itself."""
