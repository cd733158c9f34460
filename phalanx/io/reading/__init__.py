"""Reading files safely: XML without entities, paths that stay in the folders that users named, one error for all."""
